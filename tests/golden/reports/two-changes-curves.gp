set encoding utf8
set terminal svg noenhanced rounded size 900,497 background '#ffffff' font 'Inter, DejaVu Sans, sans-serif,13'
set output 'two.svg'
set key off
set border 1 lc rgb '#c4c9cf' lw 1
set tics out nomirror scale 0.4 font ',11.5' textcolor rgb '#3d444d'
set ytics scale 0
set xtics offset 0,0.4
set grid ytics back lt 1 lw 1 lc rgb '#e9ebee'
set multiplot
set label 'How does idle time grow with the preemption rate?' at screen 0.026667,0.93964 left front font ',19' textcolor rgb '#1f2328'
set label '22 points in both · band: 95 % confidence interval' at screen 0.026667,0.88934 left front font ',11.5' textcolor rgb '#6e7781'
set label '' at screen 0.032222,0.84105 front point pt 7 ps 0.8 lw 1.4 lc rgb '#0072b2'
set label 'B − A differs surely: 0 is outside of the interval' at screen 0.045556,0.84105 left front font ',13' textcolor rgb '#3d444d'
set label '' at screen 0.50556,0.84105 front point pt 6 ps 0.8 lw 1.4 lc rgb '#6e7781'
set label 'grey and hollow: the interval includes 0' at screen 0.51889,0.84105 left front font ',13' textcolor rgb '#3d444d'
set label 'idle time: B − A (percentage points)' at screen 0.026667,0.76459 left front font ',11.5' textcolor rgb '#6e7781'
set label 'pipeline depth 8' at screen 0.071111,0.71227 left front font ',13' textcolor rgb '#3d444d'
set label 'preemption per minute' at screen 0.28556,0.04829 center front font ',13' textcolor rgb '#3d444d'
set xtics ()
set xtics add ('0' 0)
set xtics add ('0.1' 0.1)
set xtics add ('0.2' 0.2)
set xtics add ('0.3' 0.3)
set xtics add ('0.4' 0.4)
set xtics add ('0.5' 0.5)
set lmargin at screen 0.071111
set rmargin at screen 0.5
set tmargin at screen 0.6841
set bmargin at screen 0.12072
set xrange [0:0.5]
set yrange [-10:10]
set ytics -10,5 format '%g'
$curve0_2 << EOD
0 0.0627948 -0.570435 0.696025 0
0.05 -0.0152124 -1.4226 1.39217 0
0.1 0.0445746 -2.26199 2.35114 0
0.15 -0.0771987 -3.40351 3.24911 0
0.2 0.0434784 -3.81084 3.89779 0
0.25 -0.339067 -4.9309 4.25276 0
0.3 -0.257083 -5.1937 4.67953 0
0.35 0.171708 -5.21609 5.5595 0
0.4 0.381421 -5.27607 6.03891 0
0.45 0.0393583 -6.3981 6.47682 0
0.5 -0.35936 -7.17533 6.45661 0
EOD
plot 0 with lines lw 1.2 lc rgb '#6e7781', \
$curve0_2 using 1:3:4 with filledcurves fillcolor rgb '#0072b2' fillstyle transparent solid 0.18 noborder, \
$curve0_2 using 1:2 with lines lw 2.2 lc rgb '#0072b2', \
$curve0_2 using 1:($5 == 0 ? $2 : NaN) with points pt 7 ps 0.6 lc rgb '#ffffff', \
$curve0_2 using 1:($5 == 0 ? $2 : NaN) with points pt 6 ps 0.6 lc rgb '#6e7781', \
$curve0_2 using 1:($5 == 1 ? $2 : NaN) with points pt 7 ps 0.6 lc rgb '#0072b2', \
NaN
unset label
unset object
unset arrow
set label 'pipeline depth 16' at screen 0.54444,0.71227 left front font ',13' textcolor rgb '#3d444d'
set label 'preemption per minute' at screen 0.75889,0.04829 center front font ',13' textcolor rgb '#3d444d'
set xtics ()
set xtics add ('0' 0)
set xtics add ('0.1' 0.1)
set xtics add ('0.2' 0.2)
set xtics add ('0.3' 0.3)
set xtics add ('0.4' 0.4)
set xtics add ('0.5' 0.5)
set lmargin at screen 0.54444
set rmargin at screen 0.97333
set tmargin at screen 0.6841
set bmargin at screen 0.12072
set xrange [0:0.5]
set yrange [-10:10]
set ytics -10,5 format ''
$curve1_2 << EOD
0 -0.25841 -1.51565 0.998826 0
0.05 0.0586108 -1.80327 1.92049 0
0.1 -0.00387691 -2.73951 2.73176 0
0.15 -0.0307449 -3.30023 3.23874 0
0.2 -0.0100516 -4.0741 4.05399 0
0.25 -0.111333 -4.66651 4.44384 0
0.3 0.0796783 -4.977 5.13635 0
0.35 -0.715703 -6.66364 5.23224 0
0.4 0.0197542 -6.12677 6.16628 0
0.45 -0.321761 -7.00229 6.35877 0
0.5 -0.211328 -6.93894 6.51629 0
EOD
plot 0 with lines lw 1.2 lc rgb '#6e7781', \
$curve1_2 using 1:3:4 with filledcurves fillcolor rgb '#0072b2' fillstyle transparent solid 0.18 noborder, \
$curve1_2 using 1:2 with lines lw 2.2 lc rgb '#0072b2', \
$curve1_2 using 1:($5 == 0 ? $2 : NaN) with points pt 7 ps 0.6 lc rgb '#ffffff', \
$curve1_2 using 1:($5 == 0 ? $2 : NaN) with points pt 6 ps 0.6 lc rgb '#6e7781', \
$curve1_2 using 1:($5 == 1 ? $2 : NaN) with points pt 7 ps 0.6 lc rgb '#0072b2', \
NaN
unset label
unset object
unset arrow
unset multiplot
unset output
