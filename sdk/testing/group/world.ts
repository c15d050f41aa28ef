/** Data of a member. */
export interface MemberData {
  /** Identity of the group that it belongs to. */
  group: string;
  id: string;
  /** Number of writes that it has. */
  writes: number;
}

/** A member as the group lists it. */
export interface Entry {
  id: string;
  server: string;
  /** It decides. One without a vote only gets the data. */
  votes: boolean;
  started: boolean;
}

/** A server with its process and its data. */
export interface Node {
  server: string;
  /** Counts its machines. */
  machine: number;
  /** The platform has installed the service on this machine. */
  installed: boolean;
  /** Its host answers the platform. */
  answers: boolean;
  /** Its machine is gone. The next apply makes a new one. */
  lost: boolean;
  /** Other members reach it. */
  connected: boolean;
  runs: boolean;
  /** It runs with another configuration than is wanted. */
  stale: boolean;
  /** It begins a group at its next start. */
  founds: boolean;
  data?: MemberData;
  /** Data of a machine that was lost, which may return. */
  former?: MemberData;
  /** Data that was put aside. */
  aside: MemberData[];
  /** The members, as it last knew them. */
  list: Entry[];
}

interface Served {
  id: string;
  list: Entry[];
  leader?: string;
  /** Number of writes that clients were told of. */
  acknowledged: number;
}

/** Why a step fails in the model, as its script would on a host. */
export class StepFailure extends Error {}

/** A promise that was broken. */
export class BrokenPromise extends Error {}

/**
 * Servers on which several members form groups that decide by majority, in memory: consensus without its messages. A write
 * is acknowledged once a connected majority has it. Who has most of a majority's writes leads.
 */
export class QuorumWorld {
  readonly nodes = new Map<string, Node>();
  readonly groups = new Map<string, Served>();
  /** Changes of the leader of any group. */
  leadChanges = 0;
  #ids = 0;

  constructor(servers: readonly string[]) {
    for (const server of servers) this.node(server);
  }

  /** A server; made if it is new. */
  node(server: string): Node {
    const known = this.nodes.get(server);
    if (known) return known;
    const made = { server, machine: 1, installed: false, answers: true, lost: false, connected: true, runs: false, stale: false };
    const node: Node = { ...made, founds: false, aside: [], list: [] };
    this.nodes.set(server, node);
    return node;
  }

  /** Its entry in the group of its data. */
  entry({ data }: Pick<Node, 'data'>): Entry | undefined {
    return data && this.groups.get(data.group)?.list.find(({ id }) => id === data.id);
  }

  /** Members with a vote that run and are connected, if they are a majority. */
  majority(group: string): Node[] {
    const voters = this.groups.get(group)?.list.filter(({ votes }) => votes) ?? [];
    const up = voters.flatMap(({ id }) =>
      [...this.nodes.values()].filter((node) => node.runs && node.connected && node.data?.id === id),
    );
    return up.length * 2 > voters.length ? up : [];
  }

  /** A majority agrees with it. */
  serves(server: string): boolean {
    const node = this.node(server);
    return node.data !== undefined && this.majority(node.data.group).includes(node);
  }

  leads(server: string): boolean {
    const { data } = this.node(server);
    return data !== undefined && this.serves(server) && this.groups.get(data.group)?.leader === data.id;
  }

  /** Brings leaders and the data of members up to date, after anything. */
  settle(): void {
    for (const group of this.groups.values()) {
      const up = this.majority(group.id);
      if (up.length === 0) continue;
      if (!up.some(({ data }) => data?.id === group.leader)) {
        const most = Math.max(...up.map(({ data }) => data?.writes ?? 0));
        if (most < group.acknowledged) throw new BrokenPromise(`${group.acknowledged - most} acknowledged writes are lost`);
        this.#lead(group, up.find(({ data }) => data?.writes === most)?.data?.id);
      }
      for (const node of this.nodes.values())
        if (node.runs && node.connected && this.entry(node) && node.data?.group === group.id) {
          node.data.writes = group.acknowledged;
          node.list = group.list.map((entry) => ({ ...entry }));
        }
    }
    const serving = [...this.groups.keys()].filter((group) => this.majority(group).length > 0);
    if (serving.length > 1) throw new BrokenPromise('two groups serve at once');
  }

  #lead(group: Served, leader: string | undefined): void {
    if (group.leader !== undefined) this.leadChanges += 1;
    if (leader !== undefined) group.leader = leader;
  }

  /** A client writes at all groups that serve. */
  write(): void {
    for (const group of this.groups.values()) if (this.majority(group.id).length > 0) group.acknowledged += 1;
    this.settle();
  }

  /** Gives the lead to another member. Returns whether there was one. */
  moveLead(server: string, to: (others: readonly Node[]) => Node | undefined): boolean {
    const node = this.node(server);
    if (!node.data || !this.leads(server)) return false;
    const group = this.groups.get(node.data.group);
    const next = to(this.majority(node.data.group).filter((other) => other !== node));
    if (!group || !next?.data) return false;
    this.#lead(group, next.data.id);
    return true;
  }

  stop(server: string): void {
    this.node(server).runs = false;
    this.settle();
  }

  /** Starts a member with its data, or for the first time. */
  start(server: string): void {
    const node = this.node(server);
    if (node.runs) return;
    if (!node.data && node.founds) this.#found(node);
    else if (!node.data) this.#join(node);
    else if (!this.entry(node)) throw new StepFailure(`${server} was removed from its group, and does not start with its data`);
    node.founds = false;
    node.runs = true;
    node.stale = false;
    this.settle();
  }

  #found(node: Node): void {
    if ([...this.nodes.values()].some(({ data }) => data && this.groups.has(data.group) && this.majority(data.group).length > 0))
      throw new BrokenPromise(`${node.server} founds a second group beside one that serves`);
    const [group, id] = [`group-${this.#ids++}`, `id-${this.#ids++}`];
    const list = [{ id, server: node.server, votes: true, started: true }];
    this.groups.set(group, { id: group, list, leader: id, acknowledged: 0 });
    node.data = { group, id, writes: 0 };
  }

  #join(node: Node): void {
    const group = this.servingGroup(node.server);
    const entry = group?.list.find(({ server, started }) => server === node.server && !started);
    if (!group || !entry || !node.connected) throw new StepFailure(`${node.server} finds no group that knows it`);
    entry.started = true;
    node.data = { group: group.id, id: entry.id, writes: 0 };
  }

  /** The group of which another member answers to a server. */
  servingGroup(server: string): Served | undefined {
    if (!this.node(server).connected) return undefined;
    return [...this.groups.values()].find(({ id }) => this.majority(id).some((node) => node.server !== server));
  }

  /** Adds a member by another one, without a vote. */
  add(server: string): void {
    const group = this.servingGroup(server);
    if (!group) throw new StepFailure(`no member answers ${server}`);
    if (group.list.some((entry) => entry.server === server && !entry.started)) return;
    group.list = group.list.filter((entry) => entry.server !== server);
    group.list.push({ id: `id-${this.#ids++}`, server, votes: false, started: false });
    this.settle();
  }

  promote(server: string): void {
    const group = this.servingGroup(server);
    const entry = group?.list.find((one) => one.server === server && one.started);
    if (!entry) throw new StepFailure(`no member answers ${server}, or it is not in the list`);
    if (!this.node(server).runs) throw new StepFailure(`${server} does not have the data yet`);
    entry.votes = true;
    this.settle();
  }

  /** Takes a member out, on another one. */
  remove(on: string, leaving: string): void {
    const group = this.groups.get(this.node(on).data?.group ?? '');
    if (!group || !this.serves(on)) throw new StepFailure(`${on} does not serve`);
    const gone = group.list.find(({ server }) => server === leaving);
    const voters = group.list.filter(({ votes }) => votes).length;
    if (gone?.votes && this.serves(leaving) && (this.majority(group.id).length - 1) * 2 <= voters - 1)
      throw new StepFailure(`without ${leaving}, no majority of the others serves`);
    if (gone && gone.id === group.leader) this.#lead(group, this.node(on).data?.id);
    group.list = group.list.filter((entry) => entry !== gone);
    const left = this.node(leaving);
    if (left.data?.id === gone?.id) left.runs = false;
    this.settle();
  }

  /** Keeps the data beside. */
  putAside(server: string): void {
    const node = this.node(server);
    node.runs = false;
    if (node.data) node.aside.push(node.data);
    delete node.data;
    this.settle();
  }
}
