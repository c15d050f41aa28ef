import * as z from 'zod';
import { type LabelFilter, labelQuery } from './filters.js';
import { type CallOptions, type Http, segment } from './http.js';
import {
  type InterfaceCreate,
  type InterfaceModify,
  interfaceChange,
  interfaceToWrite,
  networking,
  type Server,
  type ServerCreate,
  type ServerModify,
  server,
  serverChange,
  serverCreate,
  serverInterface,
  serverSummary,
} from './server-schema.js';
import { tagList } from './tags.js';
import { type WaitOptions, waitUntil, waitUntilGone } from './wait.js';
import { createListSchema, envelope } from './wire.js';

export interface StopOptions {
  /** `soft` asks the operating system, `hard` cuts the power. */
  type: 'soft' | 'hard';
  /** Time limit of a soft stop, in seconds. */
  timeoutSeconds?: number;
}

export interface RestartOptions extends StopOptions {
  /** Action after the time limit of a soft stop. */
  timeoutAction?: 'destroy' | 'ignore';
  /** Id of a physical machine. */
  host?: number;
}

export interface StartOptions {
  /** Ids of physical machines to avoid or to use. */
  avoidHost?: number;
  host?: number;
}

export type StorageAttach = { type?: 'disk' | 'cdrom'; address?: string; storage?: string; bootDisk?: boolean };

const one = envelope('server', server);
const at = (uuid: string) => `/server/${segment(uuid)}`;

/** Creates the calls for servers. Stops, starts and creations return before they are complete: `waitFor` the state. */
export function createServerCalls(http: Http) {
  const answered = async (method: 'GET' | 'POST' | 'PUT', path: string, body: unknown, options?: CallOptions): Promise<Server> =>
    (await http.send(method, path, { body, answer: one, options })).server;

  const read = (uuid: string, options?: CallOptions) => answered('GET', at(uuid), undefined, options);

  return {
    read,

    async list({ labels }: { labels?: readonly LabelFilter[] } = {}, options?: CallOptions) {
      const answer = envelope('servers', createListSchema('server', serverSummary));
      const path = labels?.length ? '/server/' : '/server';
      return (await http.send('GET', path, { query: labelQuery(labels), answer, options })).servers;
    },

    create: (wanted: ServerCreate, options?: CallOptions) =>
      answered('POST', '/server', { server: z.encode(serverCreate, wanted) }, options),

    /** Changes title, host name, plan, labels, firewall, …; some changes require a stopped server. */
    modify: (uuid: string, changes: ServerModify, options?: CallOptions) =>
      answered('PUT', at(uuid), { server: z.encode(serverChange, changes) }, options),

    start: (uuid: string, { avoidHost, host }: StartOptions = {}, options?: CallOptions) =>
      answered('POST', `${at(uuid)}/start`, { server: { avoid_host: avoidHost, host } }, options),

    stop: (uuid: string, stop: StopOptions, options?: CallOptions) =>
      answered('POST', `${at(uuid)}/stop`, { stop_server: stopping(stop) }, options),

    restart: (uuid: string, { timeoutAction, host, ...stop }: RestartOptions, options?: CallOptions) =>
      answered(
        'POST',
        `${at(uuid)}/restart`,
        { restart_server: { ...stopping(stop), timeout_action: timeoutAction, host } },
        options,
      ),

    /** Deletes a stopped server; optionally with its storages and their backups. */
    delete(
      uuid: string,
      { storages, backups }: { storages?: boolean; backups?: 'keep' | 'keep_latest' | 'delete' } = {},
      options?: CallOptions,
    ) {
      if (!storages) return http.tell('DELETE', at(uuid), { options });
      const query = [['storages', '1'] as const, ...(backups ? [['backups', backups] as const] : [])];
      return http.tell('DELETE', `${at(uuid)}/`, { query, options });
    },

    /**
     * Moves a stopped server with its storages and their backups to another zone of the same data center. The move is
     * between a public zone and its neighboring private zones. The server must not be in a private network. It is in
     * `maintenance` during the move: `waitFor` the state `stopped`.
     */
    relocate: (uuid: string, zone: string, options?: CallOptions) =>
      // Without envelope, unlike all other calls of servers.
      answered('POST', `${at(uuid)}/relocate`, { zone }, options),

    /** Adds existing tags to a server. Its other tags stay. */
    tag: (uuid: string, tags: readonly string[], options?: CallOptions) =>
      answered('POST', `${at(uuid)}/tag/${tagList(tags)}`, undefined, options),

    /** Removes tags from a server. The tags themselves stay. */
    untag: (uuid: string, tags: readonly string[], options?: CallOptions) =>
      answered('POST', `${at(uuid)}/untag/${tagList(tags)}`, undefined, options),

    attachStorage: (uuid: string, { bootDisk, ...device }: StorageAttach, options?: CallOptions) =>
      answered(
        'POST',
        `${at(uuid)}/storage/attach`,
        { storage_device: { ...device, boot_disk: bootDisk === undefined ? undefined : bootDisk ? '1' : '0' } },
        options,
      ),

    /** Detaches by the address of the device (`virtio:1`). */
    detachStorage: (uuid: string, address: string, options?: CallOptions) =>
      answered('POST', `${at(uuid)}/storage/detach`, { storage_device: { address } }, options),

    loadCdrom: (uuid: string, storage: string, options?: CallOptions) =>
      answered('POST', `${at(uuid)}/cdrom/load`, { storage_device: { storage } }, options),

    ejectCdrom: (uuid: string, options?: CallOptions) =>
      // The API requires no body here; the vendor's own clients send this one.
      answered('POST', `${at(uuid)}/cdrom/eject`, { ServerUUID: uuid }, options),

    async networking(uuid: string, options?: CallOptions) {
      const answer = envelope('networking', networking);
      return (await http.send('GET', `${at(uuid)}/networking`, { answer, options })).networking;
    },

    async createInterface(uuid: string, wanted: InterfaceCreate, options?: CallOptions) {
      const body = { interface: z.encode(interfaceToWrite, wanted) };
      const path = `${at(uuid)}/networking/interface`;
      return (await http.send('POST', path, { body, answer: envelope('interface', serverInterface), options })).interface;
    },

    async modifyInterface(uuid: string, index: number, changes: InterfaceModify, options?: CallOptions) {
      const body = { interface: z.encode(interfaceChange, changes) };
      const path = `${at(uuid)}/networking/interface/${index}`;
      return (await http.send('PUT', path, { body, answer: envelope('interface', serverInterface), options })).interface;
    },

    deleteInterface: (uuid: string, index: number, options?: CallOptions) =>
      http.tell('DELETE', `${at(uuid)}/networking/interface/${index}`, { options }),

    /** Polls until the server is in this state. The state `error` ends the wait too, so check the result. */
    waitFor: (uuid: string, state: 'started' | 'stopped', options?: WaitOptions) =>
      waitUntil(
        `server ${uuid} to be ${state}`,
        () => read(uuid, options),
        (seen) => seen.state === state || seen.state === 'error',
        options,
      ),

    waitGone: (uuid: string, options?: WaitOptions) =>
      waitUntilGone(`the end of server ${uuid}`, () => read(uuid, options), options),
  };
}

const stopping = ({ type, timeoutSeconds }: StopOptions) => ({
  stop_type: type,
  timeout: timeoutSeconds === undefined ? undefined : String(timeoutSeconds),
});
