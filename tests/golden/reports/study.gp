set encoding utf8
set terminal svg noenhanced rounded size 900,517 background '#ffffff' font 'Inter, DejaVu Sans, sans-serif,13'
set output 'idle.svg'
set key off
set border 1 lc rgb '#c4c9cf' lw 1
set tics out nomirror scale 0.4 font ',11.5' textcolor rgb '#3d444d'
set ytics scale 0
set xtics offset 0,0.4
set grid ytics back lt 1 lw 1 lc rgb '#e9ebee'
set multiplot
set label 'How does idle time grow with the preemption rate?' at screen 0.026667,0.94197 left front font ',19' textcolor rgb '#1f2328'
set label 'idle-vs-preemption · 10 replications at each point · seed 1 · curve: mean, band: its 95 % confidence interval' at screen 0.026667,0.89362 left front font ',11.5' textcolor rgb '#6e7781'
set label 'pipeline depth 8' at screen 0.071111,0.83172 left front font ',13' textcolor rgb '#3d444d'
set label 'idle' at screen 0.026667,0.78917 left front font ',11.5' textcolor rgb '#6e7781'
set xtics ()
set xtics add ('0' 0)
set label '0' at screen 0.071111,0.081238 center front font ',11.5' textcolor rgb '#6e7781'
set xtics add ('0.1' 0.1)
set label '16.9' at screen 0.14138,0.081238 center front font ',11.5' textcolor rgb '#6e7781'
set xtics add ('0.2' 0.2)
set label '34.9' at screen 0.21164,0.081238 center front font ',11.5' textcolor rgb '#6e7781'
set xtics add ('0.3' 0.3)
set label '54.0' at screen 0.28191,0.081238 center front font ',11.5' textcolor rgb '#6e7781'
set xtics add ('0.4' 0.4)
set label '71.4' at screen 0.35218,0.081238 center front font ',11.5' textcolor rgb '#6e7781'
set xtics add ('0.5' 0.5)
set label '85.0' at screen 0.42244,0.081238 center front font ',11.5' textcolor rgb '#6e7781'
set label 'preemption per minute' at screen 0.24678,0.12573 center front font ',13' textcolor rgb '#3d444d'
set label 'preempted per hour (1/h)' at screen 0.24678,0.048356 center front font ',11.5' textcolor rgb '#6e7781'
set lmargin at screen 0.071111
set rmargin at screen 0.42244
set tmargin at screen 0.75435
set bmargin at screen 0.19342
set xrange [0:0.5]
set yrange [0:80]
set ytics 0,20 format '%g %%'
$panel0 << EOD
0 3.51474 2.68932 4.34015 0 3.51474 3.51474 3.51474
0.05 11.1901 9.62026 12.7599 1.42026 4.75291 8.92078 11.1901
0.1 18.0864 15.1381 21.0346 2.81192 6.7843 14.4275 18.0864
0.15 25.8557 21.7969 29.9145 3.31956 7.5115 19.3959 25.8557
0.2 28.5328 23.5483 33.5172 4.49338 8.39467 21.4301 28.5328
0.25 36.0621 29.2449 42.8794 5.08682 9.69929 26.7761 36.0621
0.3 36.481 29.7488 43.2132 4.90151 9.15098 26.078 36.481
0.35 42.6393 34.9802 50.2984 6.67576 11.684 32.5738 42.6393
0.4 46.0717 39.2014 52.942 6.27365 11.4706 33.8787 46.0717
0.45 44.1987 36.3884 52.009 6.53325 11.9126 32.8012 44.1987
0.5 55.2023 47.2712 63.1333 7.59191 13.8315 41.6769 55.2023
EOD
plot $panel0 using 1:8 with filledcurves y1=0 fillcolor rgb '#f4df7d' fillstyle solid 1 noborder, \
$panel0 using 1:7 with filledcurves y1=0 fillcolor rgb '#e8a735' fillstyle solid 1 noborder, \
$panel0 using 1:6 with filledcurves y1=0 fillcolor rgb '#bcc3cb' fillstyle solid 1 noborder, \
$panel0 using 1:5 with filledcurves y1=0 fillcolor rgb '#68b9ea' fillstyle solid 1 noborder, \
$panel0 using 1:5 with lines lw 1 lc rgb '#ffffff', \
$panel0 using 1:6 with lines lw 1 lc rgb '#ffffff', \
$panel0 using 1:7 with lines lw 1 lc rgb '#ffffff', \
$panel0 using 1:3:4 with filledcurves fillcolor rgb '#1f2328' fillstyle transparent solid 0.2 noborder, \
$panel0 using 1:2 with linespoints lw 2 pt 7 ps 0.35 lc rgb '#1f2328'
unset label
unset object
unset arrow
set label 'pipeline depth 16' at screen 0.46244,0.83172 left front font ',13' textcolor rgb '#3d444d'
set arrow from screen 0.81711,0.21692 to screen 0.83267,0.21692 nohead front lw 1 lc rgb '#c4c9cf'
set object rectangle from screen 0.836,0.20725 to screen 0.84711,0.22659 front fillcolor rgb '#68b9ea' fillstyle solid 1 noborder
set label 'prepping' at screen 0.85489,0.21692 left front font ',13' textcolor rgb '#3d444d'
set arrow from screen 0.81711,0.27912 to screen 0.83267,0.27912 nohead front lw 1 lc rgb '#c4c9cf'
set object rectangle from screen 0.836,0.26945 to screen 0.84711,0.28879 front fillcolor rgb '#bcc3cb' fillstyle solid 1 noborder
set label 'standby' at screen 0.85489,0.27912 left front font ',13' textcolor rgb '#3d444d'
set arrow from screen 0.81711,0.39651 to screen 0.83267,0.39651 nohead front lw 1 lc rgb '#c4c9cf'
set object rectangle from screen 0.836,0.38684 to screen 0.84711,0.40619 front fillcolor rgb '#e8a735' fillstyle solid 1 noborder
set label 'reconfiguring' at screen 0.85489,0.39651 left front font ',13' textcolor rgb '#3d444d'
set arrow from screen 0.81711,0.52316 to screen 0.83267,0.52316 nohead front lw 1 lc rgb '#c4c9cf'
set object rectangle from screen 0.836,0.51349 to screen 0.84711,0.53283 front fillcolor rgb '#f4df7d' fillstyle solid 1 noborder
set label 'reloading' at screen 0.85489,0.52316 left front font ',13' textcolor rgb '#3d444d'
set arrow from screen 0.81711,0.57111 to screen 0.83267,0.57111 nohead front lw 1 lc rgb '#c4c9cf'
set object rectangle from screen 0.836,0.56917 to screen 0.84711,0.57304 front fillcolor rgb '#1f2328' fillstyle solid 1 noborder
set label 'idle' at screen 0.85489,0.57111 left front font ',13' textcolor rgb '#3d444d'
set xtics ()
set xtics add ('0' 0)
set label '0' at screen 0.46244,0.081238 center front font ',11.5' textcolor rgb '#6e7781'
set xtics add ('0.1' 0.1)
set label '16.8' at screen 0.53271,0.081238 center front font ',11.5' textcolor rgb '#6e7781'
set xtics add ('0.2' 0.2)
set label '34.8' at screen 0.60298,0.081238 center front font ',11.5' textcolor rgb '#6e7781'
set xtics add ('0.3' 0.3)
set label '51.8' at screen 0.67324,0.081238 center front font ',11.5' textcolor rgb '#6e7781'
set xtics add ('0.4' 0.4)
set label '71.2' at screen 0.74351,0.081238 center front font ',11.5' textcolor rgb '#6e7781'
set xtics add ('0.5' 0.5)
set label '88.3' at screen 0.81378,0.081238 center front font ',11.5' textcolor rgb '#6e7781'
set label 'preemption per minute' at screen 0.63811,0.12573 center front font ',13' textcolor rgb '#3d444d'
set label 'preempted per hour (1/h)' at screen 0.63811,0.048356 center front font ',11.5' textcolor rgb '#6e7781'
set lmargin at screen 0.46244
set rmargin at screen 0.81378
set tmargin at screen 0.75435
set bmargin at screen 0.19342
set xrange [0:0.5]
set yrange [0:80]
set ytics 0,20 format ''
$panel1 << EOD
0 6.22189 4.73672 7.70706 0 6.22189 6.22189 6.22189
0.05 13.3876 10.8675 15.9076 1.41098 8.03361 11.3373 13.3876
0.1 22.2162 18.5259 25.9065 2.79543 10.6944 18.4557 22.2162
0.15 25.4251 21.753 29.0971 3.2973 10.6843 20.2264 25.4251
0.2 31.4138 25.4975 37.3301 4.46639 13.225 24.9981 31.4138
0.25 38.0525 32.8691 43.236 5.0559 14.2258 29.6593 38.0525
0.3 38.7199 32.4232 45.0166 5.53187 15.1007 30.3858 38.7199
0.35 46.209 38.586 53.832 5.91865 17.062 35.9387 46.209
0.4 46.5814 38.4998 54.663 6.23407 15.3156 35.5629 46.5814
0.45 51.0853 40.7428 61.4279 7.30151 17.9928 39.4214 51.0853
0.5 53.8654 44.7498 62.981 6.7012 17.7419 40.1881 53.8654
EOD
plot $panel1 using 1:8 with filledcurves y1=0 fillcolor rgb '#f4df7d' fillstyle solid 1 noborder, \
$panel1 using 1:7 with filledcurves y1=0 fillcolor rgb '#e8a735' fillstyle solid 1 noborder, \
$panel1 using 1:6 with filledcurves y1=0 fillcolor rgb '#bcc3cb' fillstyle solid 1 noborder, \
$panel1 using 1:5 with filledcurves y1=0 fillcolor rgb '#68b9ea' fillstyle solid 1 noborder, \
$panel1 using 1:5 with lines lw 1 lc rgb '#ffffff', \
$panel1 using 1:6 with lines lw 1 lc rgb '#ffffff', \
$panel1 using 1:7 with lines lw 1 lc rgb '#ffffff', \
$panel1 using 1:3:4 with filledcurves fillcolor rgb '#1f2328' fillstyle transparent solid 0.2 noborder, \
$panel1 using 1:2 with linespoints lw 2 pt 7 ps 0.35 lc rgb '#1f2328'
unset label
unset object
unset arrow
unset multiplot
unset output
