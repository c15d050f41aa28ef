import type { FoundFacts } from '../../host/facts.js';
import type { Step } from '../../host/step.js';
import type { FileContent } from '../../schema/contents.js';
import { type OwnFiles, treeAt } from './own-file.js';
import { ensureNoOwnFiles, ensureOwnFiles, type OwnFilesFacts, ownFilesFacts } from './own-files.js';

/** Sites of a web server, of which some come with their files. */
type Sites = readonly { name: string; tree?: Readonly<Record<string, FileContent>> | undefined }[];

/** Files of a web server's sites that come with a definition, each site in its own folder. */
export function siteTrees(server: string, folderOf: (site: { name: string }) => string) {
  const state = `/var/lib/provisioning-sites/${server}`;
  const all = (sites: Sites): OwnFiles => {
    const trees = sites.flatMap((site) => (site.tree ? [treeAt(folderOf(site), site.tree)] : []));
    return { files: trees.flatMap(({ files }) => files), folders: trees.flatMap(({ folders }) => folders) };
  };
  return {
    facts: (sites: Sites): OwnFilesFacts => ownFilesFacts(state, all(sites)),
    /** Writes the wanted files, and removes those of former sites. */
    ensure(sites: Sites, found: FoundFacts<OwnFilesFacts>): Step[] {
      const wanted = all(sites);
      // A host that never had such sites has no note of them.
      return found.manifest.exists || wanted.files.length > 0 ? ensureOwnFiles(state, wanted, found) : [];
    },
    remove: (found: FoundFacts<OwnFilesFacts>): Step[] => ensureNoOwnFiles(state, found),
  };
}
