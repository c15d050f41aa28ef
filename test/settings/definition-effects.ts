import { definitionFrom, loadWith } from '../../authoring/definition/definitions.js';
import { fakeSession } from '../../cli/fake-session.js';
import type { Definition } from '../../core/definition/definition.js';
import type { LoadOptions } from '../../definition/load-definition.js';
import type { Effects, Place } from './effect.js';

/** Loads a definition with this text in a home. */
async function definitionIn({ home, put }: Place, text: string): Promise<Definition> {
  return definitionFrom(fakeSession({ root: home.root }), await put('shop.yaml', text));
}
const serverIn = async (place: Place, text: string) => (await definitionIn(place, text)).servers[0];

const LOCAL = 'infra: shop\nservers: [{ name: web }]\n';
const HETZNER = `provider: hetzner\n${LOCAL}`;

export const DEFINITION_EFFECTS: Effects = {
  'servers.defaultProvider': {
    values: ['demo', 'local'],
    sees: ['demo', 'local'],
    observe: async (place) => (await serverIn(place, LOCAL))?.provider,
  },
  'servers.defaultRegion': {
    values: ['eu-central', 'us-east'],
    sees: ['fsn1', 'ash'],
    observe: async (place) => (await serverIn(place, HETZNER))?.zone,
  },
  'servers.defaultPlan': {
    values: ['medium', 'large'],
    sees: [2, 4],
    observe: async (place) => (await serverIn(place, LOCAL))?.plan.cores,
  },
  'servers.defaultImage': {
    values: ['debian-13', 'ubuntu-24.04'],
    sees: ['debian-13', 'ubuntu-24.04'],
    observe: async (place) => (await serverIn(place, HETZNER))?.image,
  },
  'servers.protect': {
    values: [true, false],
    sees: [true, false],
    observe: async (place) => (await definitionIn(place, LOCAL)).protect,
  },
  'rolling.strategy': {
    values: ['all-at-once', 'rolling'],
    sees: [{ strategy: 'all-at-once' }, { strategy: 'rolling' }],
    observe: async (place) => (await serverIn(place, LOCAL))?.update,
  },
  'rolling.batch': {
    values: [3, '50%'],
    sees: [{ batch: 3 }, { batch: '50%' }],
    observe: async (place) => (await serverIn(place, LOCAL))?.update,
  },
  'rolling.maxUnavailable': {
    values: [1, '10%'],
    sees: [{ maxUnavailable: 1 }, { maxUnavailable: '10%' }],
    observe: async (place) => (await serverIn(place, LOCAL))?.update,
  },
  'rolling.pauseOnFailure': {
    values: [true, false],
    sees: [{ pauseOnFailure: true }, { pauseOnFailure: false }],
    observe: async (place) => (await serverIn(place, LOCAL))?.update,
  },
  'languages.folders': {
    values: ['/opt/one, /opt/two', '/opt/three'],
    sees: [['/opt/one', '/opt/two'], ['/opt/three']],
    observe: async ({ home }) => {
      let folders: LoadOptions['folders'];
      await loadWith(fakeSession({ root: home.root }), async (options) => {
        folders = options.folders;
        return { problems: [] };
      });
      return folders;
    },
  },
};
