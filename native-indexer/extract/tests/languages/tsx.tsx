interface Props {
  label: string;
}

export const Badge = ({ label }: Props) => <span>{label}</span>;

export function List(): JSX.Element {
  return <ul />;
}
