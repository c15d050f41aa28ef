import type { Session } from '../program/session.js';

/** Help text of commands that contact no Git servers. */
export const NO_GIT_SERVERS =
  'Does not contact Git servers: `apply --check` verifies that a repository at a URL has the branch, tag or commit.';

/**
 * Returns a session that contacts no Git server. Such commands only report on files. Otherwise an untrusted file could
 * name a server that learns of its readers. `apply` and its preview contact the server.
 */
export const forbidGitServers = (session: Session): Session => Object.create(session, { withoutGitServers: { value: true } });
