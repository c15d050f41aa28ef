# The part of serve.sh that has left this machine's file systems. It starts few programs: that is most of a run's time.
export PATH=/real LC_ALL=C
umount -l /old || exit 1
cd / || exit 1
[ ! -e /usr/lib ] && [ ! -e /root ] || exit 1
ln -s bin /usr/sbin
ln -s usr/bin /sbin
# What a step gives its command to read.
printf '%s\n' value value value >/exchange/input
while read -r folder setup failing; do
  rm -rf -- /etc /var /root /run /opt /srv /home /mnt /tmp /J /A /usr/lib /usr/share /usr/local
  while read -r name; do [ -L "/usr/bin/$name" ] || ln -s /real/stand-in "/usr/bin/$name"; done <"/exchange/$folder/names"
  variables=()
  . "/exchange/$folder/$setup"
  printf '%s\n' "$failing" >/exchange/failing
  : >/exchange/log
  # An undo runs as after a step that changed something (core/taskserv/step-note.ts).
  : >"/exchange/$folder/script.changed"
  code=0
  (
    read -r options <"/exchange/$folder/options"
    umask 022
    PATH=/usr/bin:/usr/local/bin HOME=/root DEBIAN_FRONTEND=noninteractive J=/J A=/A AT=@ \
      exec /real/env "${variables[@]}" /real/timeout -s KILL 20 /real/bash $options "/exchange/$folder/script" set name 60 10.0.0.1
  ) </exchange/input >/exchange/said 2>&1 || code=$?
  kill -9 -1 2>/dev/null
  echo "$code"
done
