import type { FirewallRule } from '../machine/firewall.js';
import type { ApprovalPoint } from '../operation/control.js';
import type { UpdateSettings } from '../operation/rolling.js';
import type { Endpoint } from '../taskserv/taskserv.js';

/**
 * A definition after loading: names expanded, sizes looked up, configuration
 * parsed, references to secrets in the place of secrets. What a file may say is
 * in core/schema/definition.ts.
 */
export interface Definition {
  workspace: string;
  infra: string;
  onFailure: OnFailure;
  /** Refuses `delete` of the infra and of its servers. */
  protect: boolean;
  /** Where operations on the infra wait for an approval; absent where they do not. */
  approve?: ApprovalPoint[];
  /** Sorted as in the file, counts expanded (`web-1 … web-n`). */
  servers: ServerSpec[];
}

export type OnFailure = 'rollback' | 'keep' | 'ask';

/** Cores, memory and disk of a server; `name` is the provider's own. */
export interface Plan {
  name: string;
  cores: number;
  memoryMiB: number;
  diskGiB: number;
}

export interface VolumeSpec {
  name: string;
  sizeGiB: number;
  /** Where the host mounts it. */
  mount: string;
}

/** A machine that exists already: reached by SSH, or this very machine. Never created, never deleted. */
export type ExistingHost =
  | { kind: 'this' }
  | {
      kind: 'ssh';
      address: string;
      port: number;
      user: string;
      /** Path of a private key file; without it the infra's own key is tried. */
      identity?: string;
      /** Its expected host key (`ssh-ed25519 AAAA…`); without it the first one seen is pinned. */
      hostKey?: string;
      /** `user@address:port` of a host to go through. */
      jump?: string;
      /** The expected host key of `jump`; without it the first one seen is pinned. */
      jumpHostKey?: string;
      /** By which the other servers of the definition reach it. */
      privateAddress?: string;
    };

export interface ServerSpec {
  name: string;
  /** The name before numbering: `web` for `web-2`. */
  group: string;
  role: string;
  provider: string;
  plan: Plan;
  image: string;
  zone?: string;
  labels: Record<string, string>;
  volumes: VolumeSpec[];
  /** Name of the private network; one per infra by default. */
  network: string;
  /** Of `network`, where the definition says it. */
  networkRange?: string;
  /** The provider's id of `network`, where that was there already. */
  existingNetwork?: string;
  /** All that is let in from outside besides SSH, where the provider keeps a firewall. */
  firewall?: readonly FirewallRule[];
  placement?: string;
  address?: 'reserved';
  host?: ExistingHost;
  protect: boolean;
  /** How changes reach it once it serves, where the definition says something of it (core/operation/rolling.ts). */
  update?: UpdateSettings;
  /** In dependency order. */
  taskservs: TaskservSpec[];
}

export interface TaskservSpec {
  name: string;
  version: string;
  /** Parsed by the taskserv's schema, defaults filled in. */
  config: unknown;
  /** What it listens on, from its configuration. */
  endpoints: Endpoint[];
  /** Names of taskservs that come before it where they are in the definition: hard and soft dependencies. */
  after: string[];
  /** How its changes reach servers that serve already, where its entry says something of it. */
  update?: UpdateSettings;
  /** Takes what stands behind it out of service before that is touched. */
  drains?: true;
  /** Names of endpoints that it looks up on other servers; absent: it may look at anything. */
  uses?: string[];
  /** Set when a hard dependency of another brought it in. */
  requiredBy?: string;
}
