import type { InventoryServer } from '../infra/inventory.js';
import type { Scope } from '../machine/call-context.js';
import type { HostRecord, JournaledService } from './host-record.js';
import type { Place } from './lives.js';

/**
 * Owner of a host by its own record. `confirmed`: this life of the infra. `contradicted`: another infra, or another
 * life of this one. `ended`: a deleted life of this infra. `unproven`: this infra, but without proof that this set-up
 * wrote it. `unmarked`: no owner. `not-reached`: the host could not be looked at.
 */
export type HostSays = 'confirmed' | 'contradicted' | 'ended' | 'unproven' | 'unmarked' | 'not-reached';

/** Result of a look at a host. */
export interface FoundHost {
  says: HostSays;
  /** Owner in its mark, if it is another one. */
  owner?: Scope;
  /** Why it could not be looked at. */
  why?: string;
  /** Content of its journals. It is reported and not recovered: the next apply looks at the host itself. */
  services: JournaledService[];
}

/** Servers with what their hosts say. */
export class HostRecords {
  readonly #records: ReadonlyMap<string, HostRecord>;

  readonly #ended: ReadonlySet<string>;

  /** @param ended the lives of the infra that were deleted */
  constructor(records: readonly HostRecord[], ended: ReadonlySet<string>) {
    this.#ended = ended;
    this.#records = new Map(records.map((one) => [keyOf(one.provider, one.id), one]));
  }

  /** The life that most hosts prove of those that did not end; the first by its UUID where two are even. */
  provenLife({ workspace, infra }: Place): string | undefined {
    const hosts = new Map<string, number>();
    for (const { mark } of this.#records.values())
      if (mark?.proven && mark.workspace === workspace && mark.infra === infra && !this.#ended.has(mark.uuid))
        hosts.set(mark.uuid, (hosts.get(mark.uuid) ?? 0) + 1);
    const [first] = [...hosts].sort(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1));
    return first?.[0];
  }

  /**
   * Returns the record of a server's host.
   *
   * @param life the recovered life; absent if unknown
   * @returns undefined without a look at the host
   */
  of({ provider, id }: Pick<InventoryServer, 'provider' | 'id'>, life: Partial<Scope>): FoundHost | undefined {
    const record = this.#records.get(keyOf(provider, id));
    if (!record) return undefined;
    const { mark, services, why } = record;
    if (why !== undefined) return { says: 'not-reached', why, services };
    if (!mark) return { says: 'unmarked', services };
    const { proven, ...owner } = mark;
    const ofThisInfra = owner.workspace === life.workspace && owner.infra === life.infra;
    if (ofThisInfra && this.#ended.has(owner.uuid)) return { says: 'ended', owner, services };
    if (ofThisInfra && life.uuid === undefined) return { says: 'unproven', owner, services };
    return ofThisInfra && owner.uuid === life.uuid ? { says: 'confirmed', services } : { says: 'contradicted', owner, services };
  }
}

const keyOf = (provider: string, id: string) => JSON.stringify([provider, id]);

/** Statement about a host, which continues a sentence that begins with its name. */
export function hostWords({ says, owner, why }: FoundHost): string {
  if (says === 'not-reached') return `cannot be looked at: ${why}`;
  if (says === 'unmarked') return 'bears no mark of an infra';
  if (says === 'confirmed') return 'bears the mark of this infra';
  if (says === 'ended') return 'bears the mark of a life of this infra that was deleted';
  if (says === 'unproven') return 'bears the mark of this infra, and nothing shows that this set-up has written it';
  return `bears the mark of infra "${owner?.infra}" of workspace "${owner?.workspace}" (${owner?.uuid})`;
}
