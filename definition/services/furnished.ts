import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import type { ServiceDefaults } from '../defaults/service-defaults.js';
import type { ExpandedServer } from '../expanded-server.js';
import type { ServerInterpolation } from '../interpolation/per-server.js';
import type { LockSession } from '../lock-file/locked-version.js';
import type { PlacedService } from './settle-services.js';

/** What services are made of. */
export interface ServiceContext {
  taskservs: Readonly<Record<string, AnyTaskserv>>;
  /** The names of all taskservs that there are. */
  known: readonly string[];
  perServer: ServerInterpolation;
  /** What settings say of a taskserv, its secrets replaced by references. */
  defaultsOf(taskserv: string): ServiceDefaults | undefined;
  /** What constraints came to before; undefined where nothing is kept of that. */
  locking?: LockSession;
}

/** A server with all that it carries. */
export interface FurnishedServer {
  server: ExpandedServer;
  placed: PlacedService[];
}
