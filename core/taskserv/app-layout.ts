/**
 * Where an application lies on its hosts: the taskserv `app` puts it there, and commands look for it there.
 *
 * @param name of the application
 */
export function locateApp(name: string) {
  const own = `app-${name}`;
  return {
    /** Its account, and the beginning of its units' names. */
    own,
    releases: `/opt/${own}`,
    data: `/var/lib/${own}`,
    env: `/etc/${own}.env`,
    account: `/etc/sysusers.d/${own}.conf`,
    /** What was built on this host, a folder each; only root gets there. */
    builds: `/var/lib/app-build/${name}`,
    /** A file for each release whose migration is done. */
    migrated: `/var/lib/app-migrate/${name}`,
    unitOf: (process: string) => `${own}-${process}`,
  };
}
