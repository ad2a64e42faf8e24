// The pages that a link with a code leads to: an invitation, and a new password for one that was forgotten.
import { useEffect, useRef, useState } from 'react';
import { ApiError, fieldErrors } from '#/api/api-error.ts';
import { acceptLink } from '#/api/session.ts';
import { linkRefusal } from '#/api/sign-in-words.ts';
import { paths } from '#/paths.ts';
import { PlainButton, PlainField, PlainLink, PlainPassword, PlainRefusal } from '#/ui/plain/plain-fields.tsx';
import { Card, useSignedIn } from './card.tsx';
import classes from './link-page.module.css';
import { useSecondFactor } from './use-second-factor.tsx';

/** As in the contract, whose schemas load after the sign-in. */
const MIN_PASSWORD_LENGTH = 12;

const WORDS = {
  accept: {
    title: 'Join on Muster',
    text: 'You have been invited. Choose a password to sign in with.',
    missing: 'Open the link in your invitation again: this page needs its code, and keeps it only while it is open.',
    send: 'Join',
  },
  reset: {
    title: 'Choose a new password',
    text: 'Your other sessions end when it is set.',
    missing: 'Open the link for a new password again: this page needs its code, and keeps it only while it is open.',
    send: 'Set password',
  },
};

export interface LinkPageProps {
  kind: keyof typeof WORDS;
  /** Of the link; null if the page was opened without it, or again. */
  code: string | null;
  onSignedIn: (next: string) => void;
}

export function LinkPage({ kind, code, onSignedIn }: LinkPageProps) {
  const words = WORDS[kind];
  const setup = useSecondFactor(() => onSignedIn(paths.signIn()));
  useSignedIn(() => onSignedIn(paths.overview()));
  useEffect(() => {
    document.title = `${words.title} · Muster`;
  }, [words]);
  if (setup.card) return setup.card;
  if (code === null)
    return (
      <Card title={words.title} text={words.missing}>
        <PlainLink href={paths.signIn()}>Go to sign-in</PlainLink>
      </Card>
    );
  return (
    <Card title={words.title} text={words.text}>
      <LinkForm kind={kind} code={code} onNeedsSetup={setup.begin} />
    </Card>
  );
}

interface LinkFormProps {
  kind: LinkPageProps['kind'];
  code: string;
  onNeedsSetup: (password: string) => void;
}

function LinkForm({ kind, code, onNeedsSetup }: LinkFormProps) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [otp, setOtp] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isShort, setShort] = useState(false);
  const passwordInput = useRef<HTMLInputElement>(null);
  const otpInput = useRef<HTMLInputElement>(null);
  const asksOtp = otp !== undefined;
  const submit = async () => {
    setError(undefined);
    setShort(password.length < MIN_PASSWORD_LENGTH);
    if (password.length < MIN_PASSWORD_LENGTH) return passwordInput.current?.focus();
    setBusy(true);
    try {
      const { Needs } = await acceptLink({
        Code: code,
        ...(kind === 'accept' && name.trim() && { Name: name.trim() }),
        Password: password,
        ...(asksOtp && { Otp: otp.trim() }),
      });
      if (Needs === 'OtpSetup') onNeedsSetup(password);
    } catch (failure) {
      setBusy(false);
      if (needsOtp(failure) && !asksOtp) return setOtp('');
      setError(failure);
      (needsOtp(failure) ? otpInput : passwordInput).current?.focus();
    }
  };
  const { Password: refused } = fieldErrors(error, ['Password']);
  const isOtpWrong = asksOtp && needsOtp(error);
  const isShown = error !== undefined && refused === undefined && !isOtpWrong;
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && password && (!asksOtp || otp.trim())) void submit();
      }}
    >
      {isShown && <PlainRefusal {...linkRefusal(error, kind === 'accept')} />}
      {kind === 'accept' && (
        <PlainField
          label="Your name"
          value={name}
          onChange={setName}
          autoComplete="name"
          maxLength={255}
          help="As others see it. You can leave it empty."
          autoFocus
        />
      )}
      <PlainPassword
        ref={passwordInput}
        label={kind === 'accept' ? 'Password' : 'New password'}
        value={password}
        onChange={setPassword}
        autoComplete="new-password"
        maxLength={1024}
        autoFocus={kind === 'reset'}
        help={`At least ${MIN_PASSWORD_LENGTH} characters. A few words that do not belong together are good.`}
        error={
          isShort
            ? `The password must have at least ${MIN_PASSWORD_LENGTH} characters; this one has ${password.length}.`
            : refused === undefined
              ? undefined
              : `The password ${refused.replace(/\.$/, '')}.`
        }
      />
      {asksOtp && (
        <PlainField
          ref={otpInput}
          label="Code of your authenticator app"
          help="No phone at hand? Use one of your recovery codes."
          value={otp}
          onChange={setOtp}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          error={isOtpWrong ? 'This code is not right, or was used before. Wait for the next one.' : undefined}
        />
      )}
      <PlainButton look="filled" type="submit" disabled={!password || (asksOtp && !otp.trim()) || busy}>
        {WORDS[kind].send}
      </PlainButton>
    </form>
  );
}

const needsOtp = (error: unknown) => error instanceof ApiError && error.needs === 'Otp';
