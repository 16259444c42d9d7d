# Main curves: `gnuplot small-curves.gnuplot` draws small-curves.svg beside this script.
set encoding utf8
script = 'small-curves.gnuplot'
folder_length = exists('ARG0') ? strlen(ARG0) - strlen(script) : 0
if (folder_length > 0 && ARG0[folder_length + 1:] eq script) cd ARG0[1:folder_length]
set encoding utf8
set terminal svg noenhanced rounded size 900,475 background '#ffffff' font 'Inter, DejaVu Sans, sans-serif,13'
set output 'small-curves.svg'
set key off
set border 1 lc rgb '#c4c9cf' lw 1
set tics out nomirror scale 0.4 font ',11.5' textcolor rgb '#3d444d'
set ytics scale 0
set xtics offset 0,0.4
set grid ytics back lt 1 lw 1 lc rgb '#e9ebee'
set multiplot
set label 'Do deep pipelines suffer more from preemptions?' at screen 0.026667,0.93684 left front font ',19' textcolor rgb '#1f2328'
set label 'small · 2 replications at each point · seed 5 · curve: ratio of totals, band: its 95 % confidence interval' at screen 0.026667,0.88421 left front font ',11.5' textcolor rgb '#6e7781'
set label 'pipeline depth 4' at screen 0.071111,0.81684 left front font ',13' textcolor rgb '#3d444d'
set label 'idle' at screen 0.026667,0.77053 left front font ',11.5' textcolor rgb '#6e7781'
set xtics ()
set xtics add ('0.05' 0.05)
set xtics add ('0.2' 0.2)
set label 'preemption per minute' at screen 0.28667,0.048421 center front font ',13' textcolor rgb '#3d444d'
set lmargin at screen 0.071111
set rmargin at screen 0.50222
set tmargin at screen 0.73263
set bmargin at screen 0.12211
set xrange [0.05:0.2]
set yrange [0:120]
set ytics 0,20 format '%g %%'
$panel0 << EOD
0.05 14.4689 -3.84309 32.781
0.2 40.5336 -4.36322 85.4305
EOD
plot $panel0 using 1:3:4 with filledcurves fillcolor rgb '#0072b2' fillstyle transparent solid 0.2 noborder, \
$panel0 using 1:2 with linespoints lw 2 pt 7 ps 0.35 lc rgb '#0072b2'
unset label
unset object
unset arrow
set label 'pipeline depth 8' at screen 0.54222,0.81684 left front font ',13' textcolor rgb '#3d444d'
set xtics ()
set xtics add ('0.05' 0.05)
set xtics add ('0.2' 0.2)
set label 'preemption per minute' at screen 0.75778,0.048421 center front font ',13' textcolor rgb '#3d444d'
set lmargin at screen 0.54222
set rmargin at screen 0.97333
set tmargin at screen 0.73263
set bmargin at screen 0.12211
set xrange [0.05:0.2]
set yrange [0:120]
set ytics 0,20 format ''
$panel1 << EOD
0.05 15.7201 -11.2503 42.6904
0.2 46.4501 -24.0842 116.984
EOD
plot $panel1 using 1:3:4 with filledcurves fillcolor rgb '#0072b2' fillstyle transparent solid 0.2 noborder, \
$panel1 using 1:2 with linespoints lw 2 pt 7 ps 0.35 lc rgb '#0072b2'
unset label
unset object
unset arrow
unset multiplot
unset output
