# Main curves: `gnuplot small-curves.gnuplot` draws small-curves.svg beside this script.
set encoding utf8
script = 'small-curves.gnuplot'
folder_length = exists('ARG0') ? strlen(ARG0) - strlen(script) : 0
if (folder_length > 0 && ARG0[folder_length + 1:] eq script) cd ARG0[1:folder_length]
set encoding utf8
set terminal svg size 900,340 noenhanced font 'Inter,12' background 'white'
set output 'small-curves.svg'
set border 3
set tics nomirror
set grid
set key outside right
set multiplot layout 1,1 title 'Idle time along preemption per minute, for each pipeline depth'
set title ''
set xlabel 'preemption per minute'
unset logscale x
set xrange [0.05:0.2]
set xtics auto format '%g'
set xrange [] noreverse
set ylabel 'idle'
unset logscale y
set yrange [0:120]
set ytics auto format '%g %%'
set yrange [] noreverse
unset arrow
$data0_0 << EOD
0.05 14.46894662 0.05 0.05 0 32.78098328 0
0.2 40.53364269 0.2 0.2 0 85.43050457 0
EOD
$data0_1 << EOD
0.05 15.72005286 0.05 0.05 0 42.69044316 0
0.2 46.45011601 0.2 0.2 0 116.9844033 0
EOD
plot NaN notitle, \
$data0_0 using 1:5:6 with filledcurves fs transparent solid 0.2 lc rgb '#0072b2' notitle, \
$data0_0 using 1:2 with lines lw 2 lc rgb '#0072b2' title '4', \
$data0_1 using 1:5:6 with filledcurves fs transparent solid 0.2 lc rgb '#d55e00' notitle, \
$data0_1 using 1:2 with lines lw 2 lc rgb '#d55e00' title '8'
unset multiplot
