import { mayUse } from '../../pages/kit/index.ts';
import { FavoritesCard } from './favorites/favorites-card.tsx';
import { LanguageCard } from './language-card.tsx';
import { PasswordCard } from './credentials/password-card.tsx';
import { AccountHead, isCustomer } from './tabs.tsx';
import { TwofaCard } from './credentials/twofa-card.tsx';

export default function SecurityPage() {
  return (
    <>
      <AccountHead />
      <div class="grid halves">
        {mayUse(['account']) && <PasswordCard />}
        {mayUse(['twofa']) && <TwofaCard />}
        {isCustomer() && mayUse(['locale']) && <LanguageCard />}
        {isCustomer() && mayUse(['favorites']) && <FavoritesCard />}
      </div>
    </>
  );
}
