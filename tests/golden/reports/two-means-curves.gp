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
set label '' at screen 0.032222,0.84105 front point pt 6 ps 0.8 lw 1.4 lc rgb '#6e7781'
set label 'A, before: before.db (grey, dashed)' at screen 0.045556,0.84105 left front font ',13' textcolor rgb '#3d444d'
set label '' at screen 0.50556,0.84105 front point pt 7 ps 0.8 lw 1.4 lc rgb '#0072b2'
set label 'B, after: after.db (blue, solid)' at screen 0.51889,0.84105 left front font ',13' textcolor rgb '#3d444d'
set label 'idle time (%)' at screen 0.026667,0.76459 left front font ',11.5' textcolor rgb '#6e7781'
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
set yrange [0:60]
set ytics 0,10 format '%g'
$curve0_0 << EOD
0 3.22854 2.86612 3.59096 0
0.05 11.39 10.5673 12.2128 0
0.1 18.4541 17.1434 19.7648 0
0.15 24.6597 22.8088 26.5106 0
0.2 29.7159 27.5436 31.8882 0
0.25 34.309 31.6672 36.9509 0
0.3 38.1028 35.2456 40.96 0
0.35 41.9845 38.8901 45.079 0
0.4 44.9243 41.6247 48.2239 0
0.45 48.3511 44.7349 51.9674 0
0.5 51.2946 47.363 55.2262 0
EOD
$curve0_1 << EOD
0 3.29134 2.75489 3.82779 0
0.05 11.3748 10.1936 12.556 0
0.1 18.4986 16.5387 20.4586 0
0.15 24.5825 21.7321 27.433 0
0.2 29.7594 26.4732 33.0456 0
0.25 33.97 30.0887 37.8513 0
0.3 37.8457 33.6838 42.0076 0
0.35 42.1562 37.5987 46.7137 0
0.4 45.3057 40.5524 50.0591 0
0.45 48.3905 42.8946 53.8864 0
0.5 50.9353 45.1804 56.6901 0
EOD
plot $curve0_0 using 1:3:4 with filledcurves fillcolor rgb '#6e7781' fillstyle transparent solid 0.18 noborder, \
$curve0_1 using 1:3:4 with filledcurves fillcolor rgb '#0072b2' fillstyle transparent solid 0.18 noborder, \
$curve0_1 using 1:2 with lines lw 2.2 lc rgb '#0072b2', \
$curve0_1 using 1:2 with points pt 7 ps 0.5 lc rgb '#0072b2', \
$curve0_0 using 1:2 with lines lw 1.6 dt (8,5) lc rgb '#6e7781', \
$curve0_0 using 1:2 with points pt 6 ps 0.5 lc rgb '#6e7781', \
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
set yrange [0:60]
set ytics 0,10 format ''
$curve1_0 << EOD
0 6.41751 5.69631 7.1387 0
0.05 14.1542 13.0644 15.2439 0
0.1 20.9812 19.4396 22.5229 0
0.15 26.6984 24.7734 28.6235 0
0.2 31.9992 29.725 34.2734 0
0.25 36.4525 33.7989 39.1061 0
0.3 40.7768 37.9127 43.641 0
0.35 44.1982 40.8552 47.5411 0
0.4 47.7278 44.257 51.1986 0
0.45 50.5064 46.6221 54.3906 0
0.5 53.2044 49.2871 57.1218 0
EOD
$curve1_1 << EOD
0 6.1591 5.09504 7.22315 0
0.05 14.2128 12.651 15.7746 0
0.1 20.9774 18.6449 23.3098 0
0.15 26.6677 23.9327 29.4027 0
0.2 31.9892 28.5142 35.4641 0
0.25 36.3412 32.512 40.1704 0
0.3 40.8565 36.554 45.159 0
0.35 43.4825 38.4056 48.5594 0
0.4 47.7475 42.5111 52.984 0
0.45 50.1846 44.5639 55.8053 0
0.5 52.9931 47.3365 58.6497 0
EOD
plot $curve1_0 using 1:3:4 with filledcurves fillcolor rgb '#6e7781' fillstyle transparent solid 0.18 noborder, \
$curve1_1 using 1:3:4 with filledcurves fillcolor rgb '#0072b2' fillstyle transparent solid 0.18 noborder, \
$curve1_1 using 1:2 with lines lw 2.2 lc rgb '#0072b2', \
$curve1_1 using 1:2 with points pt 7 ps 0.5 lc rgb '#0072b2', \
$curve1_0 using 1:2 with lines lw 1.6 dt (8,5) lc rgb '#6e7781', \
$curve1_0 using 1:2 with points pt 6 ps 0.5 lc rgb '#6e7781', \
NaN
unset label
unset object
unset arrow
unset multiplot
unset output
