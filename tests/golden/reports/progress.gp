set encoding utf8
set terminal svg noenhanced rounded size 900,493 background '#ffffff' font 'Inter, DejaVu Sans, sans-serif,13'
set output 'progress.svg'
set key off
set border 1 lc rgb '#c4c9cf' lw 1
set tics out nomirror scale 0.4 font ',11.5' textcolor rgb '#3d444d'
set ytics scale 0
set xtics offset 0,0.4
set grid ytics back lt 1 lw 1 lc rgb '#e9ebee'
set multiplot
set label 'which is best?' at screen 0.026667,0.93915 left front font ',19' textcolor rgb '#1f2328'
set label 'seed 1' at screen 0.026667,0.89655 left front font ',11.5' textcolor rgb '#6e7781'
set label 'steps durable' at screen 0.026667,0.83976 left front font ',11.5' textcolor rgb '#6e7781'
set label 'time (h)' at screen 0.42956,0.040568 center front font ',13' textcolor rgb '#3d444d'
set arrow from screen 0.78022,0.49175 to screen 0.79578,0.49175 nohead front lw 1 lc rgb '#c4c9cf'
set object rectangle from screen 0.79911,0.48871 to screen 0.81022,0.49479 front fillcolor rgb '#0072b2' fillstyle solid 1 noborder
set label 'checkpoint  658' at screen 0.818,0.49175 left front font ',13' textcolor rgb '#3d444d'
set arrow from screen 0.78022,0.78543 to screen 0.79578,0.78543 nohead front lw 1 lc rgb '#c4c9cf'
set object rectangle from screen 0.79911,0.78239 to screen 0.81022,0.78847 front fillcolor rgb '#d55e00' fillstyle solid 1 noborder
set label 'it''s slow  1,169' at screen 0.818,0.78543 left front font ',13' textcolor rgb '#3d444d'
set xtics 0,1 format '%g'
set lmargin at screen 0.082222
set rmargin at screen 0.77689
set tmargin at screen 0.80325
set bmargin at screen 0.11359
set xrange [0:10]
set yrange [0:1200]
set ytics 0,200 format '%g'
$line0 << EOD
0 0
0.540879 0
0.616734 0
0.936802 78
1.01266 78
1.37793 154
1.45379 154
1.86139 218
1.93724 218
2.34482 275
2.42067 275
2.79973 321
2.87558 321
3.2512 369
3.32706 369
3.70356 415
3.77942 415
4.11685 468
4.1927 468
4.63132 509
4.70718 509
5.11207 562
5.18792 562
5.55374 605
5.6296 605
5.91667 658
EOD
$line1 << EOD
0 0
1.73987 0
1.97797 0
3.02982 247
3.26791 247
4.36396 487
4.60205 487
5.87412 690
6.11222 690
7.48551 872
7.7236 872
8.77445 1017
9.01255 1017
10 1169
EOD
plot $line0 using 1:2 with lines lw 1.8 dt 1 lc rgb '#0072b2', \
$line1 using 1:2 with lines lw 1.8 dt 1 lc rgb '#d55e00'
unset label
unset object
unset arrow
unset multiplot
unset output
