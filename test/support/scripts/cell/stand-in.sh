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
  # Each of the packages that are asked for is installed; asked for none, one is.
  dpkg-query)
    form=
    while [ $# -gt 0 ]; do
      case "$1" in
        -f) form=$2; shift ;;
        -f*) form=${1#-f} ;;
        --showformat=*) form=${1#*=} ;;
        -*) ;;
        *) break ;;
      esac
      shift
    done
    [ $# -gt 0 ] || set -- name
    for package; do
      printf '%b' "$(printf %s "$form" | /real/sed -e "s/[$]{Package}/$package/g; s/[$]{Version}/1.0/g; s/[$]{db:Status-Abbrev}/ii /g; s/[$]{[^}]*}//g; s/\\\\n$/\\\\n/")"
    done ;;
  apt-cache) case "$1" in policy) echo '  Candidate: 1.0' ;; esac ;;
  locale) printf '%s\n' C.utf8 de_DE.utf8 en_US.utf8 ;;
  logrotate) case "$1" in -d) echo 'considering log /var/log/own.log' ;; esac ;;
  openssl)
    while [ $# -gt 0 ]; do
      case "$1" in -out | -keyout) echo text >"$2" ;; esac
      shift
    done ;;
  redis-cli)
    case " $* " in
      *' ping '*) echo PONG ;;
      *' info '*) printf '%s:1\r\n' run_id rdb_changes_since_last_save rdb_last_save_time ;;
      *) echo OK ;;
    esac ;;
  pg_controldata)
    printf '%s\n' 'Database cluster state: shut down' 'Database system identifier: 1' 'Bytes per WAL segment: 16777216' \
      'Data page checksum version: 0' "Latest checkpoint's NextXID: 0:5" "Latest checkpoint's REDO location: 0/1" \
      'Latest checkpoint location: 0/1' "Latest checkpoint's REDO WAL file: 000000010000000000000001" ;;
  *) if [ -x "/real/$name" ]; then exec "/real/$name" "$@"; fi
    if [ -p /dev/stdin ]; then exec /real/cat >/dev/null; fi ;;
esac
exit 0
