# Runs scripts where nothing of this machine can be reached: the namespaces are new, the only file system is in memory.
# The tools in /real are for the stand-ins of commands and for this program; scripts find the stand-ins alone.
#
# Reads lines "FOLDER SETUP FAILING…": the script of the folder is run in a world that SETUP of the folder makes, and
# the calls FAILING fail. Prints the exit code of each.
set -euo pipefail
exchange=$1 tools=$2

root=$exchange/root
mkdir "$root"
mount -t tmpfs -o mode=0755 tmpfs "$root"
mkdir -p "$root"/{real,dev,proc,exchange,usr/bin,old}
for tool in $tools bash dash; do
  path=$(command -v "$tool") || continue
  cp -L -- "$path" "$root/real/$tool"
  for library in $(ldd "$path" | grep -o '/[^ )]*'); do
    to=$root${library#/usr}
    [ -e "$to" ] || { mkdir -p "${to%/*}"; cp -L -- "$library" "$to"; }
  done
done
cp -- "${0%/*}/stand-in.sh" "$root/real/stand-in"
cp -- "${0%/*}/each.sh" "$root/real/each"
chmod 755 "$root/real/stand-in"
for device in null zero urandom full; do
  : >"$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"
ln -s usr/bin "$root/bin"
mount -t proc -o ro proc "$root/proc"
mount --bind "$exchange" "$root/exchange"
cd "$root"
pivot_root . old
exec /real/bash /real/each
