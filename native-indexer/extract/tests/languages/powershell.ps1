# Says hello.
function Get-Greeting {
    param([string]$Name)
    "hello $Name"
}

class Circle {
    [double] $Radius

    [double] Area() {
        return $this.Radius
    }
}

enum Level {
    Low
}
