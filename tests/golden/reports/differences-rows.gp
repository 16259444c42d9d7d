set encoding utf8
set terminal svg noenhanced rounded size 900,231 background '#ffffff' font 'Inter, DejaVu Sans, sans-serif,13'
set output 'difference.svg'
set key off
set border 1 lc rgb '#c4c9cf' lw 1
set tics out nomirror scale 0.4 font ',11.5' textcolor rgb '#3d444d'
set ytics scale 0
set xtics offset 0,0.4
set grid ytics back lt 1 lw 1 lc rgb '#e9ebee'
set multiplot
set label 'compare' at screen 0.026667,0.87013 left front font ',19' textcolor rgb '#1f2328'
set label 'compare · 3 replications at each point · seed 0 · paired differences, bar: 95 % interval, grey dot: it includes 0' at screen 0.026667,0.7619 left front font ',11.5' textcolor rgb '#6e7781'
set label 'it''s <b>"quoted"</b>' at screen 0.18667,0.50216 right front font ',13' textcolor rgb '#3d444d'
set label 'b' at screen 0.18667,0.39827 right front font ',13' textcolor rgb '#3d444d'
set label 'c' at screen 0.18667,0.29437 right front font ',13' textcolor rgb '#3d444d'
set label '← lower cost (USD) than checkpoint' at screen 0.2,0.61472 left front font ',11.5' textcolor rgb '#6e7781'
set label 'higher cost (USD) than checkpoint →' at screen 0.94667,0.61472 right front font ',11.5' textcolor rgb '#6e7781'
set label 'difference in cost (USD)' at screen 0.57333,0.08658 center front font ',13' textcolor rgb '#3d444d'
$zero << EOD
0 0
0 3
EOD
$row0 << EOD
-5 0.5 -6.24207 -3.75793
EOD
$row1 << EOD
1 1.5 -0.242069 2.24207
EOD
$row2 << EOD
2 2.5 0.757931 3.24207
EOD
unset grid
set grid xtics back lt 1 lw 1 lc rgb '#e9ebee'
set xtics ()
set xtics add ('-8' -8)
set xtics add ('-6' -6)
set xtics add ('-4' -4)
set xtics add ('-2' -2)
set xtics add ('0' 0)
set xtics add ('2' 2)
set xtics add ('4' 4)
set lmargin at screen 0.2
set rmargin at screen 0.94667
set tmargin at screen 0.55411
set bmargin at screen 0.24242
set xrange [-8:4]
set yrange [3:0]
set ytics 3,3 format ''
set errorbars 0
plot $zero using 1:2 with lines lw 1.2 lc rgb '#6e7781', \
$row0 using 1:2:3:4 with xerrorbars pt 7 ps 0.8 lw 1.6 lc rgb '#d55e00', \
$row1 using 1:2:3:4 with xerrorbars pt 6 ps 0.8 lw 1.6 lc rgb '#aab1b8', \
$row2 using 1:2:3:4 with xerrorbars pt 7 ps 0.8 lw 1.6 lc rgb '#cc79a7', \
NaN
unset label
unset object
unset arrow
unset multiplot
unset output
