/**
 * Paths of an application on its hosts. The taskserv `app` writes there, and commands look there.
 *
 * @param name name of the application
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
    /** Builds on this host, each in a folder. Only root can enter it. */
    builds: `/var/lib/app-build/${name}`,
    /** A file for each release whose migration is done. */
    migrated: `/var/lib/app-migrate/${name}`,
    unitOf: (process: string) => `${own}-${process}`,
  };
}
