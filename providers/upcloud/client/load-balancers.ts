import * as z from 'zod';
import { allPages, type LabelFilter, labelQuery, type Page } from './filters.js';
import { type CallOptions, type Http, segment } from './http.js';
import {
  backendToWrite,
  foundBackend,
  foundFrontend,
  foundLoadBalancer,
  foundMember,
  foundNetwork,
  foundPlan,
  foundResolver,
  foundRule,
  frontendToWrite,
  type LoadBalancerCreate,
  loadBalancerChange,
  loadBalancerToWrite,
  memberToWrite,
  networkChange,
  resolverToWrite,
  ruleToWrite,
} from './load-balancer-schema.js';
import { type WaitOptions, waitUntil, waitUntilGone } from './wait.js';

/** Creates the calls for named parts of a load balancer. */
function partsOf<F extends z.ZodType, W extends z.ZodObject>(http: Http, found: F, toWrite: W) {
  const change = toWrite.partial();
  return (folder: string) => {
    const at = (name: string) => `${folder}/${segment(name)}`;
    return {
      list: (options?: CallOptions) => http.send('GET', folder, { answer: z.array(found), options }),
      read: (name: string, options?: CallOptions) => http.send('GET', at(name), { answer: found, options }),
      create: (wanted: z.output<W>, options?: CallOptions) =>
        http.send('POST', folder, { body: z.encode(toWrite, wanted), answer: found, options }),
      /** Omitted fields stay unchanged. */
      modify: (name: string, changes: Partial<z.output<W>>, options?: CallOptions) =>
        http.send('PATCH', at(name), { body: z.encode(change, changes as z.output<typeof change>), answer: found, options }),
      delete: (name: string, options?: CallOptions) => http.tell('DELETE', at(name), { options }),
    };
  };
}

const at = (uuid: string) => `/load-balancer/${segment(uuid)}`;

/** Creates the calls for managed load balancers. Their answers have no envelopes, and real booleans and numbers. */
export function createLoadBalancerCalls(http: Http) {
  const read = (uuid: string, options?: CallOptions) => http.send('GET', at(uuid), { answer: foundLoadBalancer, options });
  const backends = partsOf(http, foundBackend, backendToWrite);
  const members = partsOf(http, foundMember, memberToWrite);
  const frontends = partsOf(http, foundFrontend, frontendToWrite);
  const ruleParts = partsOf(http, foundRule, ruleToWrite);
  const rules = (folder: string) => ({
    ...ruleParts(folder),
    /** Omitted fields are removed. */
    replace: (name: string, wanted: z.output<typeof ruleToWrite>, options?: CallOptions) =>
      http.send('PUT', `${folder}/${segment(name)}`, { body: z.encode(ruleToWrite, wanted), answer: foundRule, options }),
  });
  const resolvers = partsOf(http, foundResolver, resolverToWrite);

  return {
    read,

    list: ({ labels, page }: { labels?: readonly LabelFilter[]; page?: Page } = {}, options?: CallOptions) =>
      allPages((paging) => {
        const query = [...labelQuery(labels), ...paging];
        return http.send('GET', '/load-balancer', { query, answer: z.array(foundLoadBalancer), options });
      }, page),

    create: (wanted: LoadBalancerCreate, options?: CallOptions) =>
      http.send('POST', '/load-balancer', { body: z.encode(loadBalancerToWrite, wanted), answer: foundLoadBalancer, options }),

    modify: (uuid: string, changes: z.output<typeof loadBalancerChange>, options?: CallOptions) =>
      http.send('PATCH', at(uuid), { body: z.encode(loadBalancerChange, changes), answer: foundLoadBalancer, options }),

    delete: (uuid: string, options?: CallOptions) => http.tell('DELETE', at(uuid), { options }),

    backends: (uuid: string) => backends(`${at(uuid)}/backends`),
    members: (uuid: string, backend: string) => members(`${at(uuid)}/backends/${segment(backend)}/members`),
    frontends: (uuid: string) => frontends(`${at(uuid)}/frontends`),
    rules: (uuid: string, frontend: string) => rules(`${at(uuid)}/frontends/${segment(frontend)}/rules`),
    resolvers: (uuid: string) => resolvers(`${at(uuid)}/resolvers`),

    renameNetwork: (uuid: string, name: string, to: string, options?: CallOptions) =>
      http.send('PATCH', `${at(uuid)}/networks/${segment(name)}`, {
        body: z.encode(networkChange, { name: to }),
        answer: foundNetwork,
        options,
      }),

    plans: ({ page }: { page?: Page } = {}, options?: CallOptions) =>
      allPages((query) => http.send('GET', '/load-balancer/plans', { query, answer: z.array(foundPlan), options }), page),

    /** Returns the CNAME target of `_acme-challenge.…` for a certificate that UpCloud renews. */
    async dnsChallengeDomain(options?: CallOptions) {
      const path = '/load-balancer/certificate-bundles/dns-challenge-domain';
      return (await http.send('GET', path, { answer: z.looseObject({ domain: z.string() }), options })).domain;
    },

    /** Polls until the deletion ends, which takes one to ten minutes. Its network can be deleted only then. */
    waitGone: (uuid: string, options?: WaitOptions) =>
      waitUntilGone(`the end of load balancer ${uuid}`, () => read(uuid, options), options),

    waitRunning: (uuid: string, options?: WaitOptions) =>
      waitUntil(
        `load balancer ${uuid} to run`,
        () => read(uuid, options),
        (seen) => seen.operational_state === 'running',
        options,
      ),
  };
}
