"""The interpreter of a kernel IR: agenda, world, pools, stages, random streams, trace, report. Imports ir."""
