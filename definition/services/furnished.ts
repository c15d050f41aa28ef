import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import type { ServiceDefaults } from '../defaults/service-defaults.js';
import type { ExpandedServer } from '../expanded-server.js';
import type { PerServer } from '../interpolation/per-server.js';
import type { Locking } from '../lock-file/locked-version.js';
import type { Placed } from './settle-services.js';

/** What services are made of. */
export interface Making {
  taskservs: Readonly<Record<string, AnyTaskserv>>;
  /** The names of all taskservs that there are. */
  known: readonly string[];
  perServer: PerServer;
  /** What settings say of a taskserv, its secrets replaced by references. */
  defaultsOf(taskserv: string): ServiceDefaults | undefined;
  /** What constraints came to before; undefined where nothing is kept of that. */
  locking?: Locking;
}

/** A server with all that it carries. */
export interface Furnished {
  server: ExpandedServer;
  placed: Placed[];
}
