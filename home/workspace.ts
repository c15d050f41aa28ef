/** The workspace that commands act in: `PROVISIONING_WORKSPACE`, or `default`. */
export function workspaceOf(env: NodeJS.ProcessEnv = process.env): string {
  return env.PROVISIONING_WORKSPACE || 'default';
}
