set encoding utf8
set terminal svg noenhanced rounded size 900,615 background '#ffffff' font 'Inter, DejaVu Sans, sans-serif,13'
set output 'run.svg'
set key off
set border 1 lc rgb '#c4c9cf' lw 1
set tics out nomirror scale 0.4 font ',11.5' textcolor rgb '#3d444d'
set ytics scale 0
set xtics offset 0,0.4
set grid ytics back lt 1 lw 1 lc rgb '#e9ebee'
set multiplot
set grid xtics
set xtics 0,1
set format x ''
set xtics scale 0
set label 'seed-64' at screen 0.026667,0.95122 left front font ',19' textcolor rgb '#1f2328'
set label 'instances over time, and each category''s share' at screen 0.026667,0.91057 left front font ',11.5' textcolor rgb '#6e7781'
set label 'instances' at screen 0.026667,0.85854 left front font ',11.5' textcolor rgb '#6e7781'
set object rectangle from screen 0.79556,0.80569 to screen 0.80667,0.82195 front fillcolor rgb '#d55e00' fillstyle solid 1 noborder
set label 'lost' at screen 0.81444,0.81382 left front font ',13' textcolor rgb '#3d444d'
set label '5.0 %' at screen 0.97333,0.81382 right front font ',13' textcolor rgb '#3d444d'
set object rectangle from screen 0.79556,0.7748 to screen 0.80667,0.79106 front fillcolor rgb '#5fb89a' fillstyle solid 1 noborder
set label 'useful' at screen 0.81444,0.78293 left front font ',13' textcolor rgb '#3d444d'
set label '63.7 %' at screen 0.97333,0.78293 right front font ',13' textcolor rgb '#3d444d'
set object rectangle from screen 0.79556,0.7439 to screen 0.80667,0.76016 front fillcolor rgb '#f4df7d' fillstyle solid 1 noborder
set label 'reloading' at screen 0.81444,0.75203 left front font ',13' textcolor rgb '#3d444d'
set label '4.7 %' at screen 0.97333,0.75203 right front font ',13' textcolor rgb '#3d444d'
set object rectangle from screen 0.79556,0.71301 to screen 0.80667,0.72927 front fillcolor rgb '#e8a735' fillstyle solid 1 noborder
set label 'reconfiguring' at screen 0.81444,0.72114 left front font ',13' textcolor rgb '#3d444d'
set label '7.0 %' at screen 0.97333,0.72114 right front font ',13' textcolor rgb '#3d444d'
set object rectangle from screen 0.79556,0.68211 to screen 0.80667,0.69837 front fillcolor rgb '#bcc3cb' fillstyle solid 1 noborder
set label 'standby' at screen 0.81444,0.69024 left front font ',13' textcolor rgb '#3d444d'
set label '18.8 %' at screen 0.97333,0.69024 right front font ',13' textcolor rgb '#3d444d'
set object rectangle from screen 0.79556,0.65122 to screen 0.80667,0.66748 front fillcolor rgb '#68b9ea' fillstyle solid 1 noborder
set label 'prepping' at screen 0.81444,0.65935 left front font ',13' textcolor rgb '#3d444d'
set label '0.8 %' at screen 0.97333,0.65935 right front font ',13' textcolor rgb '#3d444d'
set lmargin at screen 0.071111
set rmargin at screen 0.77778
set tmargin at screen 0.82927
set bmargin at screen 0.4065
set xrange [0:5.916666667]
set yrange [0:40]
set ytics 0,10 format '%g'
$areas << EOD
0 32 32 0 0 0 0 32 32
0.540879 32 32 0 0 0 0 32 32
0.540879 34 34 2 2 34 34 34 34
0.586392 34 34 2 2 34 34 34 34
0.586392 34 34 2 2 2 34 34 34
0.616734 34 34 2 2 2 34 34 34
0.616734 34 34 0 2 2 2 34 34
0.886232 34 34 0 2 2 2 34 34
0.886232 34 34 0 2 2 2 2 34
0.936802 34 34 0 2 2 2 2 34
0.936802 33 33 0 1 33 33 33 33
0.982315 33 33 0 1 33 33 33 33
0.982315 33 33 0 1 1 33 33 33
1.01266 33 33 0 1 1 33 33 33
1.01266 33 33 0 1 1 1 33 33
1.32736 33 33 0 1 1 1 33 33
1.32736 33 33 0 1 1 1 1 33
1.37793 33 33 0 1 1 1 1 33
1.37793 28 28 0 12 28 28 28 28
1.42344 28 28 0 12 28 28 28 28
1.42344 28 28 0 12 12 28 28 28
1.45379 28 28 0 12 12 28 28 28
1.45379 28 28 0 12 12 12 28 28
1.81082 28 28 0 12 12 12 28 28
1.81082 28 28 0 12 12 12 12 28
1.86139 28 28 0 12 12 12 12 28
1.86139 25 25 0 9 25 25 25 25
1.9069 25 25 0 9 25 25 25 25
1.9069 25 25 0 9 9 25 25 25
1.93724 25 25 0 9 9 25 25 25
1.93724 25 25 0 9 9 9 25 25
2.29425 25 25 0 9 9 9 25 25
2.29425 25 25 0 9 9 9 9 25
2.34482 25 25 0 9 9 9 9 25
2.34482 20 20 0 4 20 20 20 20
2.39033 20 20 0 4 20 20 20 20
2.39033 20 20 0 4 4 20 20 20
2.42067 20 20 0 4 4 20 20 20
2.42067 20 20 0 4 4 4 20 20
2.79973 20 20 0 4 4 4 20 20
2.79973 21 21 1 5 21 21 21 21
2.84524 21 21 1 5 21 21 21 21
2.84524 21 21 1 5 5 21 21 21
2.87558 21 21 1 5 5 21 21 21
2.87558 21 21 0 5 5 5 21 21
3.20064 21 21 0 5 5 5 21 21
3.20064 21 21 0 5 5 5 5 21
3.2512 21 21 0 5 5 5 5 21
3.2512 20 20 0 4 20 20 20 20
3.29672 20 20 0 4 20 20 20 20
3.29672 20 20 0 4 4 20 20 20
3.32706 20 20 0 4 4 20 20 20
3.32706 20 20 0 4 4 4 20 20
3.70356 20 20 0 4 4 4 20 20
3.70356 23 23 3 7 23 23 23 23
3.74908 23 23 3 7 23 23 23 23
3.74908 23 23 3 7 7 23 23 23
3.77942 23 23 3 7 7 23 23 23
3.77942 23 23 0 7 7 7 23 23
4.06628 23 23 0 7 7 7 23 23
4.06628 23 23 0 7 7 7 7 23
4.11685 23 23 0 7 7 7 7 23
4.11685 18 18 0 2 18 18 18 18
4.16236 18 18 0 2 18 18 18 18
4.16236 18 18 0 2 2 18 18 18
4.1927 18 18 0 2 2 18 18 18
4.1927 18 18 0 2 2 2 18 18
4.63132 18 18 0 2 2 2 18 18
4.63132 23 23 5 7 23 23 23 23
4.67683 23 23 5 7 23 23 23 23
4.67683 23 23 5 7 7 23 23 23
4.70718 23 23 5 7 7 23 23 23
4.70718 23 23 0 7 7 7 23 23
5.0615 23 23 0 7 7 7 23 23
5.0615 23 23 0 7 7 7 7 23
5.11207 23 23 0 7 7 7 7 23
5.11207 19 19 0 3 19 19 19 19
5.15758 19 19 0 3 19 19 19 19
5.15758 19 19 0 3 3 19 19 19
5.18792 19 19 0 3 3 19 19 19
5.18792 19 19 0 3 3 3 19 19
5.55374 19 19 0 3 3 3 19 19
5.55374 23 23 4 7 23 23 23 23
5.59926 23 23 4 7 23 23 23 23
5.59926 23 23 4 7 7 23 23 23
5.6296 23 23 4 7 7 23 23 23
5.6296 23 23 0 7 7 7 23 23
5.91667 23 23 0 7 7 7 23 23
EOD
plot $areas using 1:9 with filledcurves y1=0 fillcolor rgb '#d55e00' fillstyle solid 1 noborder, \
$areas using 1:8 with filledcurves y1=0 fillcolor rgb '#5fb89a' fillstyle solid 1 noborder, \
$areas using 1:7 with filledcurves y1=0 fillcolor rgb '#f4df7d' fillstyle solid 1 noborder, \
$areas using 1:6 with filledcurves y1=0 fillcolor rgb '#e8a735' fillstyle solid 1 noborder, \
$areas using 1:5 with filledcurves y1=0 fillcolor rgb '#bcc3cb' fillstyle solid 1 noborder, \
$areas using 1:4 with filledcurves y1=0 fillcolor rgb '#68b9ea' fillstyle solid 1 noborder, \
$areas using 1:3 with lines lw 0.7 lc rgb '#3d444d'
unset label
unset object
unset arrow
set object rectangle from screen 0.79556,0.37317 to screen 0.80667,0.38943 front fillcolor rgb '#d55e00' fillstyle solid 1 noborder
set label 'preempted, 7 times' at screen 0.81444,0.3813 left front font ',13' textcolor rgb '#3d444d'
set lmargin at screen 0.071111
set rmargin at screen 0.77778
set tmargin at screen 0.39512
set bmargin at screen 0.36748
set xrange [0:5.916666667]
set yrange [0:1]
set ytics 0,2 format ''
$marks0 << EOD
0.935573 0.44
1.37932 1
1.86005 0.72
2.34818 1
3.25047 0.44
4.11578 1
5.11422 0.86
EOD
plot $marks0 with impulses lw 1.2 lc rgb '#d55e00'
unset label
unset object
unset arrow
set object rectangle from screen 0.79556,0.33415 to screen 0.80667,0.35041 front fillcolor rgb '#0072b2' fillstyle solid 1 noborder
set label 'added, 5 times' at screen 0.81444,0.34228 left front font ',13' textcolor rgb '#3d444d'
set lmargin at screen 0.071111
set rmargin at screen 0.77778
set tmargin at screen 0.3561
set bmargin at screen 0.32846
set xrange [0:5.916666667]
set yrange [0:1]
set ytics 0,2 format ''
$marks1 << EOD
0.543594 0.58
2.79932 0.44
3.70161 0.72
4.63349 1
5.55057 0.86
EOD
plot $marks1 with impulses lw 1.2 lc rgb '#0072b2'
unset label
unset object
unset arrow
set object rectangle from screen 0.79556,0.29512 to screen 0.80667,0.31138 front fillcolor rgb '#57606a' fillstyle solid 1 noborder
set label 'rolled back, 7 times' at screen 0.81444,0.30325 left front font ',13' textcolor rgb '#3d444d'
set lmargin at screen 0.071111
set rmargin at screen 0.77778
set tmargin at screen 0.31707
set bmargin at screen 0.28943
set xrange [0:5.916666667]
set yrange [0:1]
set ytics 0,2 format ''
$marks3 << EOD
0.935573 1
1.37932 1
1.86005 1
2.34818 1
3.25047 1
4.11578 1
5.11422 1
EOD
plot $marks3 with impulses lw 1.2 lc rgb '#57606a'
unset label
unset object
unset arrow
set label 'steps durable' at screen 0.026667,0.25041 left front font ',11.5' textcolor rgb '#6e7781'
set label '658 steps durable' at screen 0.79556,0.17665 left front font ',13' textcolor rgb '#3d444d'
set label 'time (h)' at screen 0.42444,0.034146 center front font ',13' textcolor rgb '#3d444d'
set format x '%g'
set xtics scale 0.4
set lmargin at screen 0.071111
set rmargin at screen 0.77778
set tmargin at screen 0.22114
set bmargin at screen 0.091057
set xrange [0:5.916666667]
set yrange [0:1000]
set ytics 0,500 format '%g'
$progress << EOD
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
plot $progress with filledcurves y1=0 fillcolor rgb '#0072b2' fillstyle transparent solid 0.12 noborder, $progress with lines lw 1.6 lc rgb '#0072b2'
unset label
unset object
unset arrow
unset multiplot
unset output
