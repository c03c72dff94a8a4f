import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../../support/folder.ts';
import type { TestDocker } from '../../support/docker.ts';

const HOME = '/usr/share/elasticsearch';
/** Refuses to start as Elasticsearch would where it may not write, then answers one connection after another; stores something at its end, once `.held` is gone. */
const SERVER = `#!/bin/sh
cd ${HOME}
for folder in "$ES_PATH_CONF" data logs /tmp; do touch "$folder/.writable" || exit 3; done
rm data/.writable
echo "started with $*"
trap 'while [ -e data/.held ]; do sleep 0.05; done; touch data/.ended; exit' TERM
nc -ll -p 9200 -e ${HOME}/bin/answer &
wait
`;
/** Answers what recipes ask as Elasticsearch documents it; an index is a folder, and a document a file in it. */
const ANSWER = `#!/bin/sh
read -r method path version
while read -r line && [ "\${#line}" -gt 1 ]; do :; done
cd ${HOME}/data
reply() {
  printf 'HTTP/1.1 %s\\r\\nX-elastic-product: Elasticsearch\\r\\ncontent-type: application/json\\r\\n' "$1"
  printf 'content-length: %s\\r\\n\\r\\n%s' "\${#2}" "$2"
}
case "$method $path" in
'GET /_cluster/health'*) reply '200 OK' '{"cluster_name":"docker-cluster","status":"green","timed_out":false}' ;;
'GET /_cluster/stats'*)
  bytes=$(du -sk . | cut -f1)
  reply '200 OK' "{\\"indices\\":{\\"count\\":$(ls | wc -l),\\"docs\\":{\\"count\\":$(ls */* 2>/dev/null | wc -l)},\\"store\\":{\\"size_in_bytes\\":$((bytes * 1024))}},\\"nodes\\":{\\"jvm\\":{\\"mem\\":{\\"heap_used_in_bytes\\":7340032}}}}" ;;
'DELETE /_data_stream'*) reply '200 OK' '{"acknowledged":true}' ;;
'DELETE /_all') rm -rf ./*; reply '200 OK' '{"acknowledged":true}' ;;
PUT*_doc*) mkdir -p ".\${path%%/_doc*}" && touch ".\${path%%/_doc*}/1"; reply '201 Created' '{"result":"created"}' ;;
*) reply '404 Not Found' '{"error":"no such index"}' ;;
esac
`;

/** Makes an image that stands for Elasticsearch: where it writes, how it is started, and what it answers. */
export async function makeSearchImage(docker: TestDocker, image: string): Promise<void> {
  const root = emptyRoot();
  for (const folder of ['config', 'data', 'logs', 'bin']) mkdirSync(join(root, HOME, folder), { recursive: true });
  writeFileSync(join(root, HOME, 'config/elasticsearch.yml'), 'network.host: 0.0.0.0\n');
  for (const [name, text] of Object.entries({ elasticsearch: SERVER, answer: ANSWER }))
    writeFileSync(join(root, HOME, 'bin', name), text, { mode: 0o755 });
  copyFileSync('/bin/busybox', join(root, 'bin/busybox'));
  execFileSync(join(root, 'bin/busybox'), ['--install', join(root, 'bin')]);
  await importRoot(docker, root, image, '-c', `WORKDIR ${HOME}`, '-c', 'ENV PATH=/bin');
}

/** Makes an image of Debian's redis-server, with the libraries that it loads. */
export async function makeRedisImage(docker: TestDocker, image: string): Promise<void> {
  const root = emptyRoot();
  const program = '/usr/bin/redis-server';
  const libraries = execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/[^ ]+/g) ?? [];
  for (const path of [program, ...libraries]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    copyFileSync(path, join(root, path));
  }
  await importRoot(docker, root, image);
}

function emptyRoot(): string {
  const root = temporaryFolder();
  chmodSync(root, 0o755);
  for (const folder of ['bin', 'tmp']) mkdirSync(join(root, folder));
  return root;
}

async function importRoot(docker: TestDocker, root: string, image: string, ...changes: string[]): Promise<void> {
  const archive = join(temporaryFolder(), 'image.tar');
  execFileSync('tar', ['-C', root, '-cf', archive, '.']);
  await docker.cli('import', ...changes, archive, image);
}
