import type { Finding } from './findings.js';

/** What a member of an etcd cluster says about itself and the others, and what its host has. */
export interface MemberSeen {
  server: string;
  /** Identity of its cluster, and its own. */
  cluster: string;
  id: string;
  /** It leads. */
  leads: boolean;
  revision: number;
  /** Hash of its data at that revision. */
  hash: string;
  /** Lines of its list: `id, started, name, peers, clients, learner`. */
  list: string[];
  /** What lies beside its data, and what an unfinished join or an operation left. */
  left: string[];
}

/** A cluster as it was before. */
export interface Former {
  cluster?: string;
  /** Ids by server, of members that the operation did not join, replace or remove. */
  ids: Readonly<Record<string, string>>;
}

const wrong = (what: string): Finding => ({ kind: 'wrong', what });

interface Entry {
  id: string;
  name: string;
  isStarted: boolean;
  peers: string;
  isLearner: boolean;
}

function readEntry(line: string): Entry {
  const [id = '', state, name = '', peers = '', , learner] = line.split(', ');
  return { id, name, isStarted: state === 'started', peers, isLearner: learner === 'true' };
}

/** Compares the list of the members with the hosts. */
function judgeList(members: readonly MemberSeen[], servers: readonly string[]): Finding[] {
  const entries = (members[0]?.list ?? []).map(readEntry);
  const others = members.filter(({ list }) => [...list].sort().join() !== [...(members[0]?.list ?? [])].sort().join());
  const owners = entries.map(({ peers }) => /^https:\/\/([^:]+):/.exec(peers)?.[1] ?? peers);
  return [
    ...others.map(({ server }) => wrong(`${server} has another list of members than ${members[0]?.server}`)),
    ...entries.flatMap(({ id, isStarted, isLearner }, index): Finding[] => {
      const owner = owners[index] ?? '';
      if (!servers.includes(owner)) return [{ kind: 'orphaned', what: `the member ${id} of ${owner} has no host` }];
      if (owners.indexOf(owner) !== index) return [{ kind: 'doubled', what: `${owner} is a member twice` }];
      if (!isStarted) return [wrong(`the member of ${owner} has never started`)];
      return isLearner ? [wrong(`the member of ${owner} has no vote`)] : [];
    }),
    ...servers
      .filter((server) => !owners.includes(server))
      .map((server): Finding => ({ kind: 'orphaned', what: `the host ${server} is no member` })),
  ];
}

/**
 * Judges an etcd cluster in which nothing happens any more.
 *
 * @param servers those that the definition has
 */
export function judgeMembers(members: readonly MemberSeen[], servers: readonly string[], former: Former): Finding[] {
  const clusters = new Set(members.map(({ cluster }) => cluster));
  const [first] = members;
  const leaders = members.filter(({ leads }) => leads);
  return [
    ...(clusters.size > 1 ? [{ kind: 'doubled' as const, what: `there are ${clusters.size} clusters` }] : []),
    ...(former.cluster === undefined || clusters.has(former.cluster) ? [] : [wrong('it is another cluster than before')]),
    ...judgeList(members, servers),
    ...(leaders.length === 1 ? [] : [wrong(`${leaders.map(({ server }) => server).join(' and ') || 'no member'} leads`)]),
    ...members.flatMap(({ server, revision, hash }): Finding[] =>
      revision === first?.revision && hash === first.hash
        ? []
        : [wrong(`${server} has revision ${revision} (${hash}), ${first?.server} ${first?.revision} (${first?.hash})`)],
    ),
    ...members.flatMap(({ server, id }): Finding[] => {
      const was = former.ids[server];
      return was === undefined || was === id ? [] : [wrong(`${server} is another member than before, and nothing asked for that`)];
    }),
    ...members.flatMap(({ server, left }) => left.map((path): Finding => ({ kind: 'orphaned', what: `${path} is on ${server}` }))),
  ];
}
