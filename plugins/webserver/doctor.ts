import { readFile } from 'node:fs/promises';
import { errorMessage } from '../../kernel/errors.ts';
import type { Finding } from '../../kernel/contract/points/finding.ts';
import type { Driver } from './drivers.ts';
import { newToken } from './vhosts/change-batcher.ts';
import { compileTemplate } from './vhosts/template.ts';
import type { VhostVerbs } from './vhosts/vhost-writer.ts';
import { canConnect, connectAddress, untilServed } from './web-server.ts';
import type { WebServerCommands } from './web-server-commands.ts';

interface Proof {
  readonly driver: Driver;
  readonly writer: VhostVerbs;
  readonly commands: WebServerCommands;
  readonly listen: string;
  /** How long the server may take to serve a change. */
  readonly timeoutMs: number;
}

/** Reloads the web server, and sees that it serves the change. */
export async function findings(proof: Proof): Promise<Finding[]> {
  const found = await serverFinding(proof);
  return found.ok ? [found, await reloadFinding(proof)] : [found];
}

/** Includes the templates and a check, because with a broken configuration every change fails. */
export async function serverFinding({ driver, writer, commands }: Proof): Promise<Finding> {
  const name = 'web server';
  try {
    for (const file of [driver.templateFile, driver.suspendedTemplateFile])
      compileTemplate(await readFile(file, 'utf8'));
    const version = (await commands.run('version')).trim();
    await writer.apply({ id: newToken(), changes: [], reload: null });
    return { name, ok: true, detail: `${version}, virtual hosts in ${driver.vhostFolder}` };
  } catch (error) {
    const remedy = `install and start ${driver.name}, or correct its configuration`;
    return { name, ok: false, detail: errorMessage(error), remedy };
  }
}

async function reloadFinding(proof: Proof): Promise<Finding> {
  const { name: program, vhostFolder } = proof.driver;
  const name = 'reload';
  try {
    await prove(proof);
    return { name, ok: true, detail: `${program} served a virtual host that was put up for this check` };
  } catch (error) {
    const include = program === 'nginx' ? `include ${vhostFolder}/*.conf;` : `import ${vhostFolder}/*.conf`;
    const where = program === 'nginx' ? 'the http block of its configuration' : 'its Caddyfile';
    const remedy = `put the line "${include}" into ${where}, and see that webserver.reload works and webserver.listen is right`;
    return { name, ok: false, detail: errorMessage(error), remedy };
  }
}

/** Also where a server waits for its reload itself, which succeeds without the line that includes the virtual hosts. */
async function prove({ driver, writer, listen, timeoutMs }: Proof): Promise<void> {
  const token = newToken();
  try {
    await writer.reload({ token, isProof: true });
    if (timeoutMs > 0) await untilServed(driver, { listen, timeoutMs }, token);
  } finally {
    await writer.reload({ token: null, isProof: true }).catch(() => undefined); // the failure is that of the first reload
  }
  if (!(await canConnect(connectAddress(listen)))) throw new Error(`${driver.name} does not listen on ${listen}`);
}
