/** Methods whose answers have a secret. They are not stored, so these methods take no key. */
export const SECRET_ANSWERS: ReadonlySet<string> = new Set([
  'infras.revealOutput',
  'secrets.export',
  'secrets.get',
  'secrets.rotate',
  'servers.login',
  'servers.signLogin',
  'tokens.create',
  'workspaces.export',
  'workspaces.part',
]);
