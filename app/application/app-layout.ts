/**
 * Where an application lies on its hosts, as the taskserv `app` puts it there. The command line knows no taskserv from
 * within; its test holds this against the taskserv.
 */
export const layoutOf = (name: string) => {
  const own = `app-${name}`;
  return {
    /** Its account, and the beginning of its units' names. */
    own,
    releases: `/opt/${own}`,
    data: `/var/lib/${own}`,
    env: `/etc/${own}.env`,
    unitOf: (process: string) => `${own}-${process}`,
  };
};
