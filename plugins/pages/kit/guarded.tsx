import { Component, type ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { Panel } from './feedback.tsx';
import { t } from './text/i18n.ts';

/** Shows a part of a page, and what to do where it cannot be shown, such as after an upgrade. */
export class Guarded extends Component<{ readonly children: ComponentChildren }, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {};

  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidCatch(error: unknown): void {
    console.error(error); // for whoever is asked for help
    this.setState({ error });
  }

  render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <Panel kind="bad" icon="warn" title={t('pages.error.part')} isAlert>
        <p>{t('pages.error.partAbout')}</p>
        <Button isSmall icon="refresh" onClick={() => location.reload()}>
          {t('pages.reload')}
        </Button>
      </Panel>
    );
  }
}
