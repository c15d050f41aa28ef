/** What becomes of the data of a service that begins on a server, or ends there. */
export interface DataChange {
  /** `begins`: the service is new on the server and takes nothing along; `lost`: its server is made again; `stays`: the service goes. */
  is: 'begins' | 'lost' | 'stays';
  /** Paths of the data on the host. */
  paths: string[];
  /** Servers on which the former data stays. */
  leftOn?: string[];
}
