#!/bin/sh
# nvcc, with its work for the host and for the GPU done in parallel, not one after the other.
# Usage: side_by_side.sh NVCC ARGUMENT... cuda.cu -c -o unit.o, in a folder of its own.
#
# nvcc prints its steps (--dryrun). If the steps are not as expected here, or if COURSE_NVCC_PLAIN is set, plain nvcc
# does everything. The first line of output says which way was taken, and why.

# Instructions that make the L2 cache keep data. No symbol of the object shows them.
list_cache_policies() {
    find . -name '*.ptx' -exec grep -Eho 'L2::evict_last|L2::cache_hint|createpolicy' {} + | sort -u >cache_policies
}

# What each step has read, if nvcc is called with -Xcompiler=-MD. The last step has read only nvcc's own files.
list_headers() {
    find . -name '*.d' ! -path ./unit.d -exec cat {} + >unit.d
}

# Usage: plain REASON NVCC ARGUMENT...
plain() {
    echo "side_by_side.sh: plain nvcc, because $1"
    shift
    rm -rf steps && mkdir steps
    case " $*" in *" -keep"* | *" --keep"* | *"-save-temps"*) ;; *) set -- "$@" --keep --keep-dir steps ;; esac
    "$@"
    status=$?
    [ $status -ne 0 ] || list_cache_policies
    list_headers
    rm -rf steps
    exit $status
}

[ -z "$COURSE_NVCC_PLAIN" ] || plain "COURSE_NVCC_PLAIN is set" "$@"
case " $*" in *" -keep"* | *" --keep"* | *"-save-temps"*) plain "it is asked to keep its files" "$@" ;; esac
mkdir steps && said=$("$@" --keep --keep-dir steps --dryrun 2>&1) || plain "it does not tell its steps" "$@"
host=: device=: object=
while IFS= read -r step; do
    case $step in '#$ '*) step=${step#'#$ '} ;; *) continue ;; esac
    # The environment of the steps.
    case ${step%%=*} in *[!A-Za-z0-9_]*) ;; *) export "$step" && continue ;; esac
    # The name for a module's own symbols is made below, since both sides read it.
    case $step in *--gen_module_id_file*) step="${step%%--gen_module_id_file*}${step#*--gen_module_id_file}" ;; esac
    case $step in
        "rm "*) ;;
        *'"unit.o"'*) object=$step ;;
        *.cpp4.ii*) host="$host && $step" ;;
        *) device="$device && $step" ;;
    esac
done <<END
$said
END
[ "$object" ] || plain "none of its steps makes the object" "$@"
printf '_%s_cuda' "$(cksum <cuda.cu | tr ' ' _)" >steps/cuda.module_id

do_steps() {
    (export TMPDIR="$PWD/steps" && eval "$2") >"steps/$1.log" 2>&1  # a step that fails leaves files there
}
do_steps device "$device" &
failed=
do_steps host "$host" || failed=host
wait $! || failed=${failed:-device}
[ "$failed" ] || do_steps object "$object" || failed=object
if [ "$failed" ]; then
    # For errors that are not about the student's own lines, plain nvcc prints the message, such as which step crashed.
    grep -Eq '^cuda_sources.*error|^ptxas (error|fatal)' "steps/$failed.log" ||
        plain "a step for the $failed failed, and not at a line of the source" "$@"
    echo "side_by_side.sh: host and device side by side"
    cat "steps/$failed.log"
else
    echo "side_by_side.sh: host and device side by side"
    cat steps/host.log steps/device.log steps/object.log
    list_cache_policies
fi
list_headers
rm -r steps
[ ! "$failed" ]
