/**
 * Reduces the lists of apt to these packages, their dependencies and the installed packages. With the archive's 60,000
 * packages, a call of apt takes one processor second.
 */
export const knowOnly = (
  packages: readonly string[],
): string => `wanted=$(apt-cache pkgnames | grep -xF "$(printf '%s\\n' ${packages.join(' ')})")
only='--no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances'
{ apt-cache depends --recurse $only $wanted | grep '^[a-z0-9]'; dpkg-query -W -f '\${Package}\\n'; } | sed 's/:.*//' >/root/wanted
for list in /var/lib/apt/lists/*_Packages; do
  awk 'NR == FNR { listed[$1]; next } $2 in listed { print $0 "\\n" }' /root/wanted RS= "$list" >/root/list
  cat /root/list >"$list"
done
rm /root/wanted /root/list`;

/** Files of packages that no service reads. Debian's own images of containers leave out the first ones, too. */
const UNUSED = ['usr/share/info', 'usr/share/lintian', 'usr/share/locale', 'usr/share/man', 'usr/lib/postgresql/*/lib/bitcode'];

/**
 * Returns the script that makes the snapshot of a test host in a container of the users' image. Libraries, Perl and
 * locales are installed, and the key that `ssl-cert` makes. The packages themselves are only downloaded, and repacked so that they unpack in a tenth of
 * the time; the lists have their new hashes. They are not installed: plans and steps are the same as on any host. The
 * repacked ones have no documents, no translations and no bitcode of PostgreSQL, whose compiler of long queries does
 * without: two of three files of `postgresql-15`. The lists have these packages, the further known ones, and the
 * dependencies of both.
 */
export const snapshotScript = (packages: readonly string[], known: readonly string[]): string => `set -eu
export DEBIAN_FRONTEND=noninteractive
apt() { apt-get -qq -o Acquire::Retries=2 -o APT::Update::Error-Mode=any -o Dpkg::Use-Pty=0 "$@"; }
apt update
apt install -y --download-only --no-install-recommends ${packages.join(' ')}

cd /var/cache/apt/archives
# libnode depends on nodejs, which is none of what lies below.
known=$(printf '%s\\n' ${packages.join(' ')})
below=$(for deb in *.deb; do dpkg-deb -f "$deb" Package; done | grep -E '^(lib|perl|locales$|ssl-cert$)' | grep -vxF "$known" | grep -v ^libnode || true)
if [ -n "$below" ]; then
  apt install -y --no-install-recommends $below >/dev/null
  apt-mark auto $below >/dev/null
  for name in $below; do rm -f "$name"_*.deb; done
fi

mkdir /root/packed
for deb in *.deb; do
  dpkg-deb -R "$deb" /root/packed/content
  (
    cd /root/packed/content
    rm -rf ${UNUSED.join(' ')}
    # dpkg takes a package without files for one that others replaced, and forgets it: each keeps its licence.
    if [ -d usr/share/doc ]; then find usr/share/doc -type f ! -name copyright -delete; fi
    if [ -e DEBIAN/md5sums ]; then
      while read -r sum path; do if [ -e "$path" ]; then printf '%s  %s\\n' "$sum" "$path"; fi; done <DEBIAN/md5sums >/root/packed/md5sums
      mv /root/packed/md5sums DEBIAN/md5sums
    fi
  )
  dpkg-deb -Zzstd -z1 -b /root/packed/content /root/packed/deb >/dev/null
  echo "$(sha256sum <"$deb" | cut -c 1-64) $(sha256sum </root/packed/deb | cut -c 1-64) $(stat -c %s /root/packed/deb)" >>/root/packed/sums
  mv /root/packed/deb "$deb"
  rm -r /root/packed/content
done
${knowOnly([...packages, ...known])}
for list in /var/lib/apt/lists/*_Packages; do
  awk 'NR == FNR { sum[$1] = $2; size[$1] = $3; next }
    {
      sub(/\\n+$/, "")
      former = match($0, /\\nSHA256: [0-9a-f]+/) ? substr($0, RSTART + 9, 64) : ""
      if (former in sum) {
        sub(/\\nSHA256: [0-9a-f]+/, "\\nSHA256: " sum[former])
        sub(/\\nSize: [0-9]+/, "\\nSize: " size[former])
        sub(/\\nMD5sum: [0-9a-f]+/, "")
      }
      print $0 "\\n"
    }' /root/packed/sums RS= "$list" >/root/packed/list
  cat /root/packed/list >"$list"
done
rm -r /root/packed
# It asks questions before an install. Installs on hosts ask none.
rm -f /etc/apt/apt.conf.d/70debconf
apt check
rm -rf /var/log/dpkg.log /var/log/apt /var/log/alternatives.log; mkdir /var/log/apt`;
