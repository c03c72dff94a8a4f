import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildTree } from '../../../plugins/search/indexer/tree-walk.ts';
import { FileTree } from '../../../plugins/search/name-index/file-tree.ts';
import { loadTree, removeLeftovers, saveTree } from '../../../plugins/search/name-index/index-file.ts';
import { rootAt } from '../../support/files-root.ts';
import type { PluginRows } from '../../support/plugin-rows.ts';

const rows: PluginRows = {
  opened: {
    files: 'search and filemanager',
    folders: 'search and filemanager',
    features: 'search',
    websites: 'search',
  },
  answered: 'home',
  without: { domains: { websites: ['[]'] }, websites: { websites: ['[]'] } },
  isolation: { unmarked: { features: 'features of the server' } },
  homes: {
    paths: {
      files: () => '/api/search/files?q=secret',
      folders: () => '/api/search/folders?q=of',
      features: () => '/api/search/features?q=files',
      websites: () => '/api/search/websites?q=shop',
    },
  },
  writer: {
    open: async (folder, filesRoot) => {
      const tree = new FileTree();
      mkdirSync(join(folder, 'search'), { recursive: true });
      await buildTree(tree, rootAt(filesRoot), {
        shouldStop: () => false,
        maxNames: 100_000,
        maxInFolder: 100_000,
        maxBytes: 2 ** 30,
      });
      return () => saveTree(join(folder, 'search/index'), filesRoot, tree);
    },
    assertWhole: async (folder, filesRoot) => {
      const index = join(folder, 'search/index');
      mkdirSync(join(folder, 'search'), { recursive: true });
      removeLeftovers(index);
      const tree = loadTree(index, filesRoot);
      if (tree !== undefined && tree.files.count !== readdirSync(filesRoot).length)
        throw new Error(`a search index holds ${tree.files.count} files`);
    },
  },
};
export default rows;
