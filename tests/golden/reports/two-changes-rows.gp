set encoding utf8
set terminal svg noenhanced rounded size 900,193 background '#ffffff' font 'Inter, DejaVu Sans, sans-serif,13'
set output 'two.svg'
set key off
set border 1 lc rgb '#c4c9cf' lw 1
set tics out nomirror scale 0.4 font ',11.5' textcolor rgb '#3d444d'
set ytics scale 0
set xtics offset 0,0.4
set grid ytics back lt 1 lw 1 lc rgb '#e9ebee'
set multiplot
set label 'plain' at screen 0.026667,0.84456 left front font ',19' textcolor rgb '#1f2328'
set label '1 point in both · bar: 95 % confidence interval' at screen 0.026667,0.71503 left front font ',11.5' textcolor rgb '#6e7781'
set label '' at screen 0.032222,0.59067 front point pt 7 ps 0.8 lw 1.4 lc rgb '#0072b2'
set label 'B − A differs surely: 0 is outside of the interval' at screen 0.045556,0.59067 left front font ',13' textcolor rgb '#3d444d'
set label '' at screen 0.50556,0.59067 front point pt 6 ps 0.8 lw 1.4 lc rgb '#6e7781'
set label 'grey and hollow: the interval includes 0' at screen 0.51889,0.59067 left front font ',13' textcolor rgb '#3d444d'
set label 'the only point' at screen 0.13867,0.35751 right front font ',13' textcolor rgb '#3d444d'
set label 'wait (s): B − A' at screen 0.54933,0.10363 center front font ',13' textcolor rgb '#3d444d'
$zero << EOD
0 0
0 1
EOD
$rows2 << EOD
4 0.5 1.51586 6.48414 1
EOD
unset grid
set grid xtics back lt 1 lw 1 lc rgb '#e9ebee'
set xtics ()
set xtics add ('0' 0)
set xtics add ('1' 1)
set xtics add ('2' 2)
set xtics add ('3' 3)
set xtics add ('4' 4)
set xtics add ('5' 5)
set xtics add ('6' 6)
set xtics add ('7' 7)
set lmargin at screen 0.152
set rmargin at screen 0.94667
set tmargin at screen 0.42487
set bmargin at screen 0.29016
set xrange [0:7]
set yrange [1:0]
set ytics 1,1 format ''
set errorbars 0
plot $zero using 1:2 with lines lw 1.2 lc rgb '#6e7781', \
$rows2 using ($5 == 0 ? $1 : NaN):2:3:4 with xerrorbars pt 6 ps 0.8 lw 1.6 lc rgb '#6e7781', \
$rows2 using ($5 == 1 ? $1 : NaN):2:3:4 with xerrorbars pt 7 ps 0.8 lw 1.6 lc rgb '#0072b2', \
NaN
unset label
unset object
unset arrow
unset multiplot
unset output
