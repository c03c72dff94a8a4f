import { useLocation } from 'preact-iso/router';
import { PageHead } from '../kit/card.tsx';
import { Panel } from '../kit/feedback.tsx';
import { linkTo } from '../kit/place/base-path.ts';
import { ownNode, shownNode, troubleOfNode } from '../kit/place/node.ts';
import { t } from '../kit/text/i18n.ts';
import type { ShownPage } from './application.ts';

/** A page about one node. While nothing is heard of it, the page says so, and goes on asking out of sight. */
export function OfNode({ page }: { readonly page: ShownPage }) {
  const { url } = useLocation();
  const error = troubleOfNode();
  const [node, own] = [shownNode(), ownNode()];
  return (
    <>
      {error !== undefined && (
        <>
          <PageHead title={t(page.title)} />
          <Panel
            kind={error.isPassing ? 'warn' : 'bad'}
            icon="warn"
            title={t(error.isPassing ? 'pages.nodeUnreachable' : 'pages.nodeUnknown', { node })}
            isAlert
          >
            <p>{t(error.isPassing ? 'pages.nodeUnreachableAbout' : 'pages.nodeUnknownAbout', { node })}</p>
            {node !== own && (
              <a class="button small" href={linkTo(url, own)}>
                {t('pages.showNode', { node: own })}
              </a>
            )}
          </Panel>
        </>
      )}
      <div hidden={error !== undefined}>
        <page.View />
      </div>
    </>
  );
}
