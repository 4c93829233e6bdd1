# bench/copy's ratios as horizontal bars: gnuplot -e "table='x.tsv'; picture='x.svg'" bench/copy.gnuplot
set terminal svg size 900,1200 font "sans-serif,11"
set output picture
set datafile separator "\t"
set title "COPY FROM: PostgreSQL's time over millrace's"
set style fill solid 0.8
set xrange [0:*]
set yrange [*:*] reverse
set grid xtics
set arrow from 1, graph 0 to 1, graph 1 nohead dashtype 2
set lmargin 42
unset key
plot table skip 1 using (0):0:(0):4:($0-0.35):($0+0.35):ytic(1) with boxxyerror linecolor rgb "#2a6f97"
