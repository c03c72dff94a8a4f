import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type Dockerode from 'dockerode';
import { refusal } from '../../../kernel/kit/engine/engine-replies.ts';

const IMAGE = 'hostkeep-demo';
const DEMO_LABEL = 'hostkeep.demo';
const PROGRAM = '/busybox';
/** One container serves a page without a network, the other sleeps. */
const COMMANDS = { web: [PROGRAM, 'httpd', '-f', '-p', '80'], worker: [PROGRAM, 'sleep', '86400'] };
/** Without network, privileges or writable files. */
const RESTRICTIONS = {
  NetworkMode: 'none',
  Memory: 32 * 2 ** 20,
  PidsLimit: 16,
  ReadonlyRootfs: true,
  CapDrop: ['ALL'],
};
const POLL_MS = 50;

const volumeOf = (username: string) => `${IMAGE}-${username}-data`;
const labelsOf = (username: string) => ({ 'hostkeep.account': username, [DEMO_LABEL]: 'true' });

/** Starts small containers of the account from an image with the files of `archive`. Returns how many. */
export async function startDemo(docker: Dockerode, username: string, archive: Buffer): Promise<number> {
  await finished(await docker.importImage(Readable.from([archive]), { repo: IMAGE, tag: 'latest' }));
  await docker.createVolume({ Name: volumeOf(username), Labels: labelsOf(username) });
  const starting = Object.entries(COMMANDS).map(async ([service, Cmd]) => {
    const container = await docker.createContainer({
      name: `${IMAGE}-${username}-${service}`,
      Image: IMAGE,
      Cmd,
      StopSignal: 'SIGKILL', // as first processes, they end at no other
      Labels: { ...labelsOf(username), 'com.docker.compose.service': service },
      HostConfig: { ...RESTRICTIONS, Binds: [`${volumeOf(username)}:/data:ro`] },
    });
    await container.start();
  });
  return (await Promise.all(starting)).length;
}

/** Removes the demo's containers, their volume and their image. */
export async function removeDemo(docker: Dockerode, username: string): Promise<null> {
  const label = [`${DEMO_LABEL}=true`, `hostkeep.account=${username}`];
  for (const { Id } of await docker.listContainers({ all: true, filters: { label } }))
    await removeOnceUnused(docker.getContainer(Id), { force: true });
  for (const thing of [docker.getVolume(volumeOf(username)), docker.getImage(IMAGE)]) await removeOnceUnused(thing);
  return null;
}

/** The engine refuses with 409 while it is still removing a container that used the thing. */
async function removeOnceUnused(
  thing: { remove(options: object): Promise<unknown> },
  options: object = {},
): Promise<void> {
  while ((await refusal(thing.remove(options))).status === 409) await delay(POLL_MS);
}
