set encoding utf8
set terminal svg noenhanced rounded size 900,521 background '#ffffff' font 'Inter, DejaVu Sans, sans-serif,13'
set output 'difference.svg'
set key off
set border 1 lc rgb '#c4c9cf' lw 1
set tics out nomirror scale 0.4 font ',11.5' textcolor rgb '#3d444d'
set ytics scale 0
set xtics offset 0,0.4
set grid ytics back lt 1 lw 1 lc rgb '#e9ebee'
set multiplot
set label 'How does idle time grow with the preemption rate?' at screen 0.026667,0.94242 left front font ',19' textcolor rgb '#1f2328'
set label 'idle-vs-preemption · 20 replications at each point · seed 1 · paired differences, band: 95 % interval, grey dot: it includes 0' at screen 0.026667,0.89443 left front font ',11.5' textcolor rgb '#6e7781'
set arrow from screen 0.78511,0.40886 to screen 0.80067,0.40886 nohead front lw 1 lc rgb '#c4c9cf'
set label '' at screen 0.80956,0.40886 front point pt 7 ps 0.8 lw 1.4 lc rgb '#0072b2'
set label 'pipeline depth 8' at screen 0.82289,0.40886 left front font ',13' textcolor rgb '#3d444d'
set label '↑ more idle than pipeline depth 16' at screen 0.026667,0.83301 left front font ',11.5' textcolor rgb '#6e7781'
set label 'difference (percentage points)' at screen 0.78178,0.83301 right front font ',11.5' textcolor rgb '#6e7781'
set label '↓ less idle than pipeline depth 16' at screen 0.026667,0.084453 left front font ',11.5' textcolor rgb '#6e7781'
set label 'preemption per minute' at screen 0.42644,0.046065 center front font ',13' textcolor rgb '#3d444d'
set xtics ()
set xtics add ('0' 0)
set xtics add ('0.1' 0.1)
set xtics add ('0.2' 0.2)
set xtics add ('0.3' 0.3)
set xtics add ('0.4' 0.4)
set xtics add ('0.5' 0.5)
set lmargin at screen 0.071111
set rmargin at screen 0.78178
set tmargin at screen 0.8023
set bmargin at screen 0.14971
set xrange [0:0.5]
set yrange [-10:10]
set ytics -10,5 format '%g'
$series0 << EOD
0 -2.86776 -3.93794 -1.79758 1
0.05 -2.83796 -4.77209 -0.903822 1
0.1 -2.47871 -5.33825 0.380826 0
0.15 -2.08517 -5.70472 1.53438 0
0.2 -2.22977 -6.92516 2.46562 0
0.25 -2.37121 -7.67862 2.93621 0
0.3 -3.0108 -9.12322 3.10162 0
0.35 -1.32624 -7.42314 4.77066 0
0.4 -2.44179 -9.33159 4.44801 0
0.45 -1.79409 -9.09167 5.50348 0
0.5 -2.05786 -9.7557 5.63997 0
EOD
plot 0 with lines lw 1.2 lc rgb '#6e7781', \
$series0 using 1:3:4 with filledcurves fillcolor rgb '#0072b2' fillstyle transparent solid 0.16 noborder, \
$series0 using 1:2 with lines lw 2 lc rgb '#0072b2', \
$series0 using 1:($5 == 1 ? $2 : NaN) with points pt 7 ps 0.6 lc rgb '#0072b2', $series0 using 1:($5 == 0 ? $2 : NaN) with points pt 7 ps 0.6 lc rgb '#c4c9cf', \
NaN
unset label
unset object
unset arrow
unset multiplot
unset output
