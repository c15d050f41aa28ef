/** The permission that carrying out an operation takes, by what it is asked to do. */
export const changeAction = (verb: string) =>
  verb === 'delete' || verb === 'rollback' ? (`operation:${verb}` as const) : ('operation:apply' as const);
