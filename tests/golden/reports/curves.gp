set encoding utf8
set terminal svg noenhanced rounded size 900,627 background '#ffffff' font 'Inter, DejaVu Sans, sans-serif,13'
set output 'idle.svg'
set key off
set border 1 lc rgb '#c4c9cf' lw 1
set tics out nomirror scale 0.4 font ',11.5' textcolor rgb '#3d444d'
set ytics scale 0
set xtics offset 0,0.4
set grid ytics back lt 1 lw 1 lc rgb '#e9ebee'
set multiplot
set label 'How does idle time grow with the preemption rate?' at screen 0.026667,0.95215 left front font ',19' textcolor rgb '#1f2328'
set label 'idle-vs-preemption · 10 replications at each point · seed 1 · curve: mean, band: its 95 % confidence interval' at screen 0.026667,0.91228 left front font ',11.5' textcolor rgb '#6e7781'
set object rectangle from screen 0.071111,0.80064 to screen 0.12141,0.81499 front fillcolor rgb '#0072b2' fillstyle solid 1 noborder
set object rectangle from screen 0.12141,0.80542 to screen 0.20253,0.81021 front fillcolor rgb '#0072b2' fillstyle solid 1 noborder
set object rectangle from screen 0.20253,0.80542 to screen 0.28364,0.81021 front fillcolor rgb '#0072b2' fillstyle solid 1 noborder
set label '8' at screen 0.17738,0.82855 center front font ',11.5' textcolor rgb '#6e7781'
set object rectangle from screen 0.28364,0.80542 to screen 0.36476,0.81021 front fillcolor rgb '#d55e00' fillstyle solid 1 noborder
set label '16' at screen 0.3242,0.82855 center front font ',11.5' textcolor rgb '#6e7781'
set object rectangle from screen 0.36476,0.80542 to screen 0.44588,0.81021 front fillcolor rgb '#0072b2' fillstyle solid 1 noborder
set object rectangle from screen 0.44588,0.80542 to screen 0.527,0.81021 front fillcolor rgb '#0072b2' fillstyle solid 1 noborder
set object rectangle from screen 0.527,0.80542 to screen 0.60812,0.81021 front fillcolor rgb '#0072b2' fillstyle solid 1 noborder
set object rectangle from screen 0.60812,0.80542 to screen 0.68924,0.81021 front fillcolor rgb '#0072b2' fillstyle solid 1 noborder
set object rectangle from screen 0.68924,0.80542 to screen 0.77036,0.81021 front fillcolor rgb '#0072b2' fillstyle solid 1 noborder
set object rectangle from screen 0.77036,0.80542 to screen 0.85148,0.81021 front fillcolor rgb '#0072b2' fillstyle solid 1 noborder
set label '8' at screen 0.60812,0.82855 center front font ',11.5' textcolor rgb '#6e7781'
set object rectangle from screen 0.85148,0.80542 to screen 0.90178,0.81021 front fillcolor rgb '#d55e00' fillstyle solid 1 noborder
set label '16' at screen 0.87663,0.82855 center front font ',11.5' textcolor rgb '#6e7781'
set arrow from screen 0.90511,0.56065 to screen 0.92067,0.54659 nohead front lw 1 lc rgb '#c4c9cf'
set label '' at screen 0.92956,0.54659 front point pt 5 ps 0.8 lw 1.4 lc rgb '#d55e00'
set label '16' at screen 0.94289,0.54659 left front font ',13' textcolor rgb '#3d444d'
set arrow from screen 0.90511,0.57211 to screen 0.92067,0.57211 nohead front lw 1 lc rgb '#c4c9cf'
set label '' at screen 0.92956,0.57211 front point pt 7 ps 0.8 lw 1.4 lc rgb '#0072b2'
set label '8' at screen 0.94289,0.57211 left front font ',13' textcolor rgb '#3d444d'
set label 'idle' at screen 0.026667,0.86762 left front font ',11.5' textcolor rgb '#6e7781'
set label 'strip: who is lowest; thin where that is not sure' at screen 0.90178,0.86762 right front font ',11.5' textcolor rgb '#6e7781'
set label 'preemption per minute' at screen 0.48644,0.038278 center front font ',13' textcolor rgb '#3d444d'
set xtics ()
set xtics add ('0' 0)
set xtics add ('0.1' 0.1)
set xtics add ('0.2' 0.2)
set xtics add ('0.3' 0.3)
set xtics add ('0.4' 0.4)
set xtics add ('0.5' 0.5)
set lmargin at screen 0.071111
set rmargin at screen 0.90178
set tmargin at screen 0.78469
set bmargin at screen 0.098884
set xrange [-0.006:0.506]
set yrange [0:80]
set ytics 0,20 format '%g %%'
$series0 << EOD
0 3.51474 2.68932 4.34015
0.05 11.1901 9.62026 12.7599
0.1 18.0864 15.1381 21.0346
0.15 25.8557 21.7969 29.9145
0.2 28.5328 23.5483 33.5172
0.25 36.0621 29.2449 42.8794
0.3 36.481 29.7488 43.2132
0.35 42.6393 34.9802 50.2984
0.4 46.0717 39.2014 52.942
0.45 44.1987 36.3884 52.009
0.5 55.2023 47.2712 63.1333
EOD
$series1 << EOD
0 6.22189 4.73672 7.70706
0.05 13.3876 10.8675 15.9076
0.1 22.2162 18.5259 25.9065
0.15 25.4251 21.753 29.0971
0.2 31.4138 25.4975 37.3301
0.25 38.0525 32.8691 43.236
0.3 38.7199 32.4232 45.0166
0.35 46.209 38.586 53.832
0.4 46.5814 38.4998 54.663
0.45 51.0853 40.7428 61.4279
0.5 53.8654 44.7498 62.981
EOD
plot $series0 using 1:3:4 with filledcurves fillcolor rgb '#0072b2' fillstyle transparent solid 0.16 noborder, \
$series1 using 1:3:4 with filledcurves fillcolor rgb '#d55e00' fillstyle transparent solid 0.16 noborder, \
$series0 using 1:2 with linespoints lw 2 pt 7 ps 0.55 lc rgb '#0072b2', \
$series1 using 1:2 with linespoints lw 2 pt 5 ps 0.55 lc rgb '#d55e00', \
NaN
unset label
unset object
unset arrow
unset multiplot
unset output
