set encoding utf8
set terminal svg noenhanced rounded size 900,591 background '#ffffff' font 'Inter, DejaVu Sans, sans-serif,13'
set output 'pareto.svg'
set key off
set border 1 lc rgb '#c4c9cf' lw 1
set tics out nomirror scale 0.4 font ',11.5' textcolor rgb '#3d444d'
set ytics scale 0
set xtics offset 0,0.4
set grid ytics back lt 1 lw 1 lc rgb '#e9ebee'
set multiplot
set label 'What does more cost?' at screen 0.026667,0.94924 left front font ',19' textcolor rgb '#1f2328'
set label 'cost · 2 replications at each point · seed 0 · dot: mean, bars: its 95 % confidence intervals' at screen 0.026667,0.90694 left front font ',11.5' textcolor rgb '#6e7781'
set label 'fronts, each of one trace' at screen 0.69556,0.83249 left front font ',11.5' textcolor rgb '#6e7781'
set label '1  preemption per minute 0' at screen 0.69556,0.80034 left front font ',13' textcolor rgb '#3d444d'
set label '1' at screen 0.28208,0.42301 center front font ',13' textcolor rgb '#3d444d'
set label '2  preemption per minute 1' at screen 0.69556,0.76819 left front font ',13' textcolor rgb '#3d444d'
set label '2' at screen 0.28208,0.30931 center front font ',13' textcolor rgb '#3d444d'
set label 'recovery' at screen 0.69556,0.71574 left front font ',11.5' textcolor rgb '#6e7781'
set label '' at screen 0.70111,0.68359 front point pt 7 ps 0.8 lw 1.4 lc rgb '#0072b2'
set label 'checkpoint' at screen 0.71444,0.68359 left front font ',13' textcolor rgb '#3d444d'
set label '' at screen 0.70111,0.65144 front point pt 5 ps 0.8 lw 1.4 lc rgb '#d55e00'
set label 'it''s <b>"quoted"</b>' at screen 0.71444,0.65144 left front font ',13' textcolor rgb '#3d444d'
set label '' at screen 0.70111,0.61929 front point pt 12 ps 0.8 lw 1.4 lc rgb '#6e7781'
set label 'ideal' at screen 0.71444,0.61929 left front font ',13' textcolor rgb '#3d444d'
set label '' at screen 0.70111,0.56684 front point pt 7 ps 0.8 lw 1.4 lc rgb '#1f2328'
set label 'filled: on the front' at screen 0.71444,0.56684 left front font ',13' textcolor rgb '#3d444d'
set label '' at screen 0.70111,0.53469 front point pt 6 ps 0.8 lw 1.4 lc rgb '#aab1b8'
set label 'grey: surely worse' at screen 0.71444,0.53469 left front font ',13' textcolor rgb '#3d444d'
set label '' at screen 0.70111,0.50254 front point pt 12 ps 0.8 lw 1.4 lc rgb '#6e7781'
set label 'a bound, which does not compete' at screen 0.71444,0.50254 left front font ',13' textcolor rgb '#3d444d'
set label 'throughput (1/s): more is better' at screen 0.026667,0.85956 left front font ',11.5' textcolor rgb '#6e7781'
set label 'cost per hour (USD/h): less is better' at screen 0.36889,0.059222 center front font ',13' textcolor rgb '#3d444d'
set label '' at screen 0.026667,0.023689 left front font ',11.5' textcolor rgb '#6e7781'
set xtics ()
set xtics add ('5' 5)
set xtics add ('10' 10)
set xtics add ('15' 15)
set xtics add ('20' 20)
set lmargin at screen 0.071111
set rmargin at screen 0.66667
set tmargin at screen 0.83249
set bmargin at screen 0.12183
set xrange [1.672937953:24.00361323]
set yrange [0:250]
set ytics 0,50 format '%g'
$bars << EOD
6.82345 100
13.1766 100

10 96.8234
10 103.177

16.8234 150
23.1766 150

20 146.823
20 153.177

1.82345 200
8.17655 200

5 196.823
5 203.177

6.82345 60
13.1766 60

10 56.8234
10 63.1766

16.8234 40
23.1766 40

20 36.8234
20 43.1766

1.82345 90
8.17655 90

5 86.8234
5 93.1766

EOD
$dots1x3 << EOD
20 40
EOD
$dots2x0 << EOD
5 200
5 90
EOD
$dots0x1 << EOD
10 100
10 60
EOD
$dots1x1 << EOD
20 150
EOD
$front0 << EOD
10 100
20 150
EOD
$front1 << EOD
10 60
EOD
plot $bars using 1:2 with lines lw 0.8 lc rgb '#aab1b8', \
$dots1x3 using 1:2 with points pt 4 ps 0.6 lw 1.2 lc rgb '#aab1b8', \
$dots2x0 using 1:2 with points pt 12 ps 0.6 lw 1.2 lc rgb '#6e7781', \
$front0 using 1:2 with steps lw 1 lc rgb '#aab1b8', \
$front1 using 1:2 with steps lw 1 lc rgb '#aab1b8', \
$dots0x1 using 1:2 with points pt 7 ps 0.8 lw 1.2 lc rgb '#0072b2', \
$dots1x1 using 1:2 with points pt 5 ps 0.8 lw 1.2 lc rgb '#d55e00', \
NaN
unset label
unset object
unset arrow
unset multiplot
unset output
