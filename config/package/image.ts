/**
 * Makes an image for Docker and its kin: `node dist/config/package/image.js [--output <folder>]`, as root. It is one archive, which
 * `docker load` takes, in the layout of the Open Container Initiative. No registry is asked: its system comes from debootstrap.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { projectDir } from '../../kernel/kit/files/project-dir.ts';
import { debianRoot } from './debian-root.ts';
import { versionOfProject, writeProgramTree } from './program-tree.ts';

const PACKAGES = ['ca-certificates', 'libstdc++6', 'util-linux'];
/** What Debian's packages leave that no container needs. */
const LEFT_OUT = ['./usr/share/doc', './usr/share/man', './usr/share/locale', './var/lib/apt/lists', './var/cache'];
const USER_ID = 999;
const NODE = '/usr/lib/hostkeep/current/bin/node';
const MAIN = '/usr/lib/hostkeep/current/dist/kernel/run/main.js';
const ASK = "fetch('http://127.0.0.1:2087/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))";
const SECOND_NS = 1e9;

/** Writes the image into a folder and resolves with its path. */
export async function makeImage(output: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'hostkeep-image-'));
  try {
    const blobs = join(folder, 'image/blobs/sha256');
    mkdirSync(blobs, { recursive: true });
    const layer = await layerOf(join(folder, 'root'), blobs);
    const config = addJson(blobs, configOf(layer.digest));
    const manifest = addJson(blobs, {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
      layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', ...layer }],
    });
    const name = `hostkeep:${versionOfProject()}`;
    writeJson(join(folder, 'image/oci-layout'), { imageLayoutVersion: '1.0.0' });
    const annotations = { 'org.opencontainers.image.ref.name': name };
    const mediaType = 'application/vnd.oci.image.manifest.v1+json';
    writeJson(join(folder, 'image/index.json'), {
      schemaVersion: 2,
      manifests: [{ mediaType, ...manifest, annotations }],
    });
    const pathOf = ({ digest }: Blob) => `blobs/${digest.replace(':', '/')}`;
    writeJson(join(folder, 'image/manifest.json'), [
      { Config: pathOf(config), RepoTags: [name], Layers: [pathOf(layer)] },
    ]);
    mkdirSync(output, { recursive: true });
    const file = join(resolve(output), `hostkeep-${versionOfProject()}-image.tar`);
    execFileSync('tar', ['-C', join(folder, 'image'), '-cf', file, '.']);
    return file;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Blob {
  readonly digest: string;
  readonly size: number;
}

/** Fills the root and adds its archive to the blobs. */
async function layerOf(root: string, blobs: string): Promise<Blob> {
  mkdirSync(root);
  execFileSync('tar', ['-C', root, '-xpf', debianRoot('image', PACKAGES)]);
  await writeProgramTree(join(root, 'usr/lib/hostkeep/current'), versionOfProject());
  cpSync(join(projectDir, 'config/package/debian/hostkeep'), join(root, 'usr/bin/hostkeep'));
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', join(root, 'usr/lib/hostkeep')]);
  execFileSync('chmod', ['0755', join(root, 'usr/bin/hostkeep')]);
  appendFileSync(join(root, 'etc/passwd'), `hostkeep:x:${USER_ID}:${USER_ID}::/var/lib/hostkeep:/usr/sbin/nologin\n`);
  appendFileSync(join(root, 'etc/group'), `hostkeep:x:${USER_ID}:\n`);
  execFileSync('install', ['-d', '-m', '0700', '-o', `${USER_ID}`, '-g', `${USER_ID}`, join(root, 'var/lib/hostkeep')]);
  const archive = join(blobs, 'layer');
  const leftOut = LEFT_OUT.map((path) => `--exclude=${path}/*`);
  execFileSync('tar', [
    '-C',
    root,
    '--numeric-owner',
    '--sort=name',
    '--one-file-system',
    ...leftOut,
    '-cf',
    archive,
    '.',
  ]);
  const digest = execFileSync('sha256sum', [archive], { encoding: 'utf8' }).slice(0, 64);
  renameSync(archive, join(blobs, digest));
  return { digest: `sha256:${digest}`, size: statSync(join(blobs, digest)).size };
}

function configOf(layer: string): object {
  return {
    created: new Date().toISOString(),
    architecture: 'amd64',
    os: 'linux',
    config: {
      User: 'hostkeep',
      Entrypoint: [NODE, MAIN],
      Cmd: ['serve'],
      WorkingDir: '/var/lib/hostkeep',
      Env: [
        'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        'HOSTKEEP_LISTEN=0.0.0.0:2083',
        'HOSTKEEP_ADMIN_LISTEN=0.0.0.0:2087',
      ],
      ExposedPorts: { '2083/tcp': {}, '2087/tcp': {} },
      Volumes: { '/var/lib/hostkeep': {} },
      StopSignal: 'SIGTERM',
      Healthcheck: {
        Test: ['CMD', NODE, '-e', ASK],
        Interval: 30 * SECOND_NS,
        Timeout: 5 * SECOND_NS,
        StartPeriod: 10 * SECOND_NS,
        Retries: 3,
      },
      Labels: {
        'org.opencontainers.image.version': versionOfProject(),
        'org.opencontainers.image.licenses': 'Apache-2.0',
      },
    },
    rootfs: { type: 'layers', diff_ids: [layer] },
  };
}

function addJson(blobs: string, value: object): Blob {
  const text = JSON.stringify(value);
  const digest = createHash('sha256').update(text).digest('hex');
  writeFileSync(join(blobs, digest), text);
  return { digest: `sha256:${digest}`, size: Buffer.byteLength(text) };
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, JSON.stringify(value));
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({ options: { output: { type: 'string', default: join(projectDir, 'dist/package') } } });
  console.log(await makeImage(values.output));
}
