set encoding utf8
set terminal svg noenhanced rounded size 900,279 background '#ffffff' font 'Inter, DejaVu Sans, sans-serif,13'
set output 'bars.svg'
set key off
set border 1 lc rgb '#c4c9cf' lw 1
set tics out nomirror scale 0.4 font ',11.5' textcolor rgb '#3d444d'
set ytics scale 0
set xtics offset 0,0.4
set grid ytics back lt 1 lw 1 lc rgb '#e9ebee'
set multiplot
set label 'which is best?' at screen 0.026667,0.89247 left front font ',19' textcolor rgb '#1f2328'
set label 'compare · 2 replications at each point · seed 0 · mean' at screen 0.026667,0.80287 left front font ',11.5' textcolor rgb '#6e7781'
set object rectangle from screen 0.026667,0.67742 to screen 0.037778,0.71326 front fillcolor rgb '#68b9ea' fillstyle solid 1 noborder
set label 'goodput' at screen 0.045556,0.69534 left front font ',13' textcolor rgb '#3d444d'
set object rectangle from screen 0.126,0.67742 to screen 0.13711,0.71326 front fillcolor rgb '#e8a735' fillstyle solid 1 noborder
set label 'lost' at screen 0.14489,0.69534 left front font ',13' textcolor rgb '#3d444d'
set label 'checkpoint' at screen 0.24267,0.50538 right front font ',13' textcolor rgb '#3d444d'
set label '50 %' at screen 0.41533,0.50538 center front font ',13' textcolor rgb '#1f2328'
set label '50 %' at screen 0.73844,0.50538 center front font ',13' textcolor rgb '#1f2328'
set label '11.0' at screen 0.97333,0.50538 right front font ',13' textcolor rgb '#3d444d'
set label 'checkpoint, detection: 30 s' at screen 0.24267,0.38351 right front font ',13' textcolor rgb '#3d444d'
set label '25 %' at screen 0.33456,0.38351 center front font ',13' textcolor rgb '#1f2328'
set label '75 %' at screen 0.65767,0.38351 center front font ',13' textcolor rgb '#1f2328'
set label '11.0' at screen 0.97333,0.38351 right front font ',13' textcolor rgb '#3d444d'
set label 'it''s "quoted"' at screen 0.24267,0.26165 right front font ',13' textcolor rgb '#3d444d'
set label '100 %' at screen 0.57689,0.26165 center front font ',13' textcolor rgb '#1f2328'
set label '11.0' at screen 0.97333,0.26165 right front font ',13' textcolor rgb '#3d444d'
set label 'share of the whole' at screen 0.57689,0.071685 center front font ',13' textcolor rgb '#3d444d'
set label 'USD per hour (USD/h)' at screen 0.97333,0.60932 right front font ',11.5' textcolor rgb '#6e7781'
unset grid
set grid xtics back lt 1 lw 1 lc rgb '#e9ebee'
set xtics 0,10 format '%g %%'
set lmargin at screen 0.25378
set rmargin at screen 0.9
set tmargin at screen 0.56631
set bmargin at screen 0.20072
set xrange [0:100]
set yrange [3:0]
set ytics 3,3 format ''
$part0 << EOD
25 0.5 0 50 0.16 0.84
12.5 1.5 0 25 1.16 1.84
50 2.5 0 100 2.16 2.84
EOD
$part1 << EOD
75 0.5 50 100 0.16 0.84
62.5 1.5 25 100 1.16 1.84
EOD
plot $part0 using 1:2:3:4:5:6 with boxxyerror fillcolor rgb '#68b9ea' fillstyle solid 1 noborder, \
$part1 using 1:2:3:4:5:6 with boxxyerror fillcolor rgb '#e8a735' fillstyle solid 1 noborder, \
NaN
unset label
unset object
unset arrow
unset multiplot
unset output
