import type { Session } from '../program/session.js';

/** What the help of such a command says. */
export const NO_GIT_SERVERS =
  'Does not contact Git servers: `apply --check` verifies that a repository at a URL has the branch, tag or commit.';

/**
 * The same session, by which no Git server is contacted. Such a command reports on files, and whoever wrote them could
 * otherwise choose a server that learns who reads them. `apply` and its preview contact the server.
 */
export const forbidGitServers = (session: Session): Session => Object.create(session, { withoutGitServers: { value: true } });
