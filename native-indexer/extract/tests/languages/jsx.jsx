import React from 'react';

export function Button({ label, onClick }) {
  return <button onClick={onClick}>{label}</button>;
}

export default class Panel extends React.Component {
  render() {
    return <Button label="ok" />;
  }
}
