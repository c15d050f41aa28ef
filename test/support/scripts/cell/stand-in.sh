#!/real/dash
# A command as scripts find it: notes its call, fails if it is the one that must, and else does what a healthy one does.
name=${0##*/}
call=$AT:$name
read -r failing </exchange/failing
echo "call $call" >>/exchange/log
case " $failing " in
  *" $call "*)
    echo "failed $call" >>/exchange/log
    echo "$name: it fails" >&2
    exit 1 ;;
esac
case "$name" in
  # Wrappers of other commands.
  runuser | su | setpriv | sudo | chroot | nice | ionice | setsid | systemd-run | flock)
    while [ $# -gt 0 ]; do
      case "$1" in
        --) shift; break ;;
        -u | -g | -n | -c | -w | -p | --unit | --property | --reuid | --regid) shift; [ $# -eq 0 ] || shift ;;
        -*) shift ;;
        *) break ;;
      esac
    done
    [ "$name" != flock ] || [ $# -eq 0 ] || shift
    [ "$name" != chroot ] || shift
    [ $# -eq 0 ] || exec "$@" ;;
  # What is changed is in memory, and there is one user.
  chown | chgrp | sync) ;;
  # A loop that waits for what does not come ends with all of its kind.
  sleep) [ "$(/real/wc -l </exchange/log)" -lt 300 ] || kill -9 -1 ;;
  readlink) if [ "$*" = /proc/self/cwd ]; then pwd -P; else exec /real/readlink "$@"; fi ;;
  bash | sh) exec /real/bash "$@" ;;
  install)
    all=
    for word; do
      shift
      case "$all$word" in
        skip*) all= ;;
        -o | -g) all=skip ;;
        *) set -- "$@" "$word" ;;
      esac
    done
    exec /real/install "$@" ;;
  systemctl)
    case "$*" in
      *is-active*) echo active ;;
      *is-enabled*) echo enabled ;;
    esac ;;
  dpkg-query) case "$*" in *Status-Abbrev*) echo 'ii ' ;; esac ;;
  *) if [ -x "/real/$name" ]; then exec "/real/$name" "$@"; fi
    if [ -p /dev/stdin ]; then exec /real/cat >/dev/null; fi ;;
esac
exit 0
