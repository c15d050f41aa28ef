const FOLDER = '/var/lib/provisioning-files';

export const MANIFEST = `${FOLDER}/written`;
/** Files that were replaced, by keys of their paths. */
export const FORMER = `${FOLDER}/former`;
/** What was taken in of each entry, and by which units. */
export const TAKEN = `${FOLDER}/taken`;
