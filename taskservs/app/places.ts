/** Everything that belongs to one application, by its name. */
export function placesOf(name: string) {
  const own = `app-${name}`;
  return {
    own,
    releases: `/opt/${own}`,
    data: `/var/lib/${own}`,
    env: `/etc/${own}.env`,
    account: `/etc/sysusers.d/${own}.conf`,
    /** What was built on this host, a folder each; only root gets there. */
    builds: `/var/lib/app-build/${name}`,
    /** A file for each release whose migration is done. */
    migrated: `/var/lib/app-migrate/${name}`,
  };
}
