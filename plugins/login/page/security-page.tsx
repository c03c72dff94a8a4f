import { mayUse, Parts, TabbedHead } from '../../pages/kit/index.ts';
import { PasswordCard } from './credentials/password-card.tsx';
import { TwofaCard } from './credentials/twofa-card.tsx';

export default function SecurityPage() {
  return (
    <>
      <TabbedHead of="/account" />
      <div class="grid halves">
        {mayUse(['account']) && <PasswordCard />}
        {mayUse(['twofa']) && <TwofaCard />}
        <Parts of="/account" />
      </div>
    </>
  );
}
