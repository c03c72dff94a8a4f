import { CHALLENGES, type WebServerPart } from '../../../kernel/contract/points/web-server-part.ts';
import { askSite } from '../../../kernel/kit/net/ask-site.ts';

/** The token of no order. */
const TRIED = 'hostkeep';
const ANSWER_MS = 5000;

/** Asks the web server of this node for the proof of a name, as an authority does. Resolves with why it fails; empty if it does not. */
export async function lackOfProof(webServer: WebServerPart, name: string, thumbprint: string): Promise<string> {
  const { status, body } = await askSite(webServer, name, CHALLENGES + TRIED, AbortSignal.timeout(ANSWER_MS));
  if (body === `${TRIED}.${thumbprint}`) return '';
  const program = webServer.name ?? 'the web server';
  return `${program} does not prove ${name}: it answers ${status === 0 ? 'nothing' : `with ${status}`} at ${CHALLENGES}`;
}
