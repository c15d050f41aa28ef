/**
 * Returns the name of a service account in records: `service-account:default/ci`, with `@acme` for one of a tenant.
 *
 * @param tenant name of the tenant; absent for the home
 */
export const nameCaller = (account: string, tenant?: string): string =>
  `service-account:${account}${tenant === undefined ? '' : `@${tenant}`}`;
